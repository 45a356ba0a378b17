import { describe, expect, test } from 'vitest';
import { ReconError } from '../../../src/errors.js';
import { differs, isQuiet, refuseChanged, refuseYoung } from '../../../src/intake/fetch/detect-change.js';

const now = Date.UTC(2026, 10, 21, 3);
const second = 1000;
const day = 24 * 3600 * second;
const look = (modifiedAtMs: number | null, sizeBytes: number | null = 10) => ({
  name: 'a.csv',
  sizeBytes,
  modifiedAtMs,
});

function codeOf(work: () => void): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ReconError) return thrown.code;
    throw thrown;
  }
  return 'taken';
}

describe('F27 the age of a file', () => {
  test.each<[string, number | null, number, string]>([
    ['exactly a minute', now - 60 * second, 60, 'taken'],
    ['a second less', now - 59 * second, 60, 'FILE_CHANGING'],
    ['this moment', now, 60, 'FILE_CHANGING'],
    ['a server whose clock is ahead', now + 300 * second, 60, 'FILE_CHANGING'],
    ['no minimum age', now, 0, 'taken'],
    ['no minimum age, and the clock is ahead', now + 300 * second, 0, 'taken'],
    ['the server gives no time: listed twice instead', null, 60, 'taken'],
    ['an invalid time: listed twice instead', now + 30 * day, 60, 'taken'],
  ])('%s', (_what, modifiedAtMs, minimumAgeSeconds, expected) => {
    expect(codeOf(() => refuseYoung(look(modifiedAtMs), now, minimumAgeSeconds * second))).toBe(expected);
  });

  test('a clock that is ahead is reported', () => {
    expect(() => refuseYoung(look(now + 300 * second), now, 60 * second)).toThrow(
      /300 s ahead of this machine/,
    );
  });
});

describe('F29 only a file that had not changed for a while when it was fetched is known by its time', () => {
  test.each<[string, number | null, number, boolean]>([
    ['an hour', now - 3600 * second, 60, true],
    ['as old as required', now - 60 * second, 60, true],
    ['younger than required', now - 59 * second, 60, false],
    ['no minimum age, three seconds', now - 3 * second, 0, true],
    ['no minimum age, two seconds', now - 2 * second, 0, false],
    ['a clock that is ahead', now + second, 0, false],
    ['no time', null, 0, false],
    ['an invalid time', now + 30 * day, 0, false],
  ])('%s', (_what, modifiedAtMs, minimumAgeSeconds, expected) => {
    expect(isQuiet(modifiedAtMs, now, minimumAgeSeconds * second)).toBe(expected);
  });
});

describe('F28 two listings', () => {
  test.each<[string, ReturnType<typeof look>, boolean, string]>([
    ['the same', look(now), true, 'taken'],
    ['another size', look(now, 11), true, 'FILE_CHANGING'],
    ['another time', look(now + second), true, 'FILE_CHANGING'],
    ['another time from another command', look(now + second), false, 'taken'],
    ['no time in the second', look(null), true, 'taken'],
    ['no size in the second', look(now, null), true, 'taken'],
  ])('a listing and a check before fetching: %s', (_what, second, comparesTimes, expected) => {
    expect(codeOf(() => refuseChanged(look(now), second, { comparesTimes }))).toBe(expected);
  });

  test('before and after a transfer everything must be the same', () => {
    expect(differs(look(now), look(now))).toBe(false);
    expect(differs(look(now), look(now + second))).toBe(true);
    expect(differs(look(now), look(now, 11))).toBe(true);
    expect(differs(look(now), look(null))).toBe(true);
  });
});
