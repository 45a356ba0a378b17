import { describe, expect, it } from 'vitest';
import { narrow } from '../../src/matching/narrowing.js';

/**
 * `p1 TSA`: payment p1 has a fitting type (T), is a success (S) and has the same amount (A), has room (R, where it is
 * asked); `-` where it does not.
 */
function candidates(text: string) {
  return text.split(',').map((each) => {
    const [id = '', flags = ''] = each.trim().split(' ');
    return {
      id,
      fitsType: flags[0] === 'T',
      succeeded: flags[1] === 'S',
      sameAmount: flags[2] === 'A',
      hasRoom: flags.length < 4 ? null : flags[3] === 'R',
    };
  });
}

describe('narrow', () => {
  it.each([
    ['p1 ---', 'p1', 'TYPE SUCCESS AMOUNT'],
    ['p1 TSA, p2 TSA', 'p1 p2', ''],
    ['p1 T--, p2 -SA', 'p1', 'SUCCESS AMOUNT'],
    ['p1 -S-, p2 --A', 'p1', 'TYPE AMOUNT'],
    ['p1 T-A, p2 T--', 'p1', 'SUCCESS'],
    ['p1 TS-, p2 TS-, p3 T-A', 'p1 p2', 'AMOUNT'],
    ['p1 ---, p2 ---', 'p1 p2', 'TYPE SUCCESS AMOUNT'],
    ['p1 TSA-, p2 TSAR', 'p2', ''],
    ['p1 TSA-, p2 TSA-, p3 TS-R', 'p1 p2', 'ROOM'],
    ['p1 TSA-, p2 TS--', 'p1', ''],
  ])('%s → %s, skipping %s', (text, left, skipped) => {
    const outcome = narrow(candidates(text));
    expect(outcome.left.map((each) => each.id).join(' ')).toBe(left);
    expect(
      outcome.steps
        .filter((step) => step.skipped)
        .map((step) => step.name)
        .join(' '),
    ).toBe(skipped);
  });

  it('lists what each step dropped', () => {
    const { steps } = narrow(candidates('p1 TS-, p2 -SA, p3 T-A, p4 TSA'));
    expect(steps.map((step) => step.dropped.map((each) => each.id))).toEqual([['p2'], ['p3'], ['p1']]);
  });

  it('returns no candidates for no candidates', () => {
    expect(narrow([]).left).toEqual([]);
    expect(narrow([]).steps.every((step) => !step.skipped)).toBe(true);
  });
});
