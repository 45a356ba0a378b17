import fc from 'fast-check';
import { expect, test } from 'vitest';
import { presentCell } from '../../src/settlement-file/row-issues.js';
import { maskCardNumbers } from '../../src/values/mask-card-numbers.js';

/** What a report shows of a value, by the words of its description: all of it masked and spelled out, then cut. */
function presentWhole(value: string): string {
  const shown = maskCardNumbers(value).replaceAll('\u200b', '\\u200b');
  const characters = Array.from(shown);
  return characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : shown;
}

const piece = fc.oneof(
  fc.constantFrom(
    '4111111111111111',
    '4111 1111 1111 1111',
    '4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1',
    '5'.repeat(40),
  ),
  fc.constantFrom(' ', '-', '1 ', '2', 'a', '\u200b', '🙂', 'Ö', '.'),
);

test('what is shown of a long value is the beginning of what all of it would show', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
      const value = pieces.join('');
      expect(presentCell(value)).toBe(presentWhole(value));
    }),
    { numRuns: 500 },
  );
});

test.each(['4', '4 ', '4-', '41', '4111111111111111 ', 'a', '🙂'])(
  'a quarter of a megabyte of %j is cut in the same way',
  (part) => {
    const value = part.repeat(2 ** 18 / part.length);
    expect(presentCell(value)).toBe(presentWhole(value));
  },
);
