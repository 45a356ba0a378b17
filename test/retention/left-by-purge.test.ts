import { expect, test } from 'vitest';
import { isLeftByPurge } from '../../src/retention/left-by-purge.js';

const removedAtMs = Date.UTC(2026, 10, 29, 3, 0, 1);

test.each([
  ['a day before', -86_400_000, true],
  ['just before the times that a file system may round down to', -2_000.001, true],
  ['in the same moment, rounded down to two seconds', -1_999, false],
  ['in the same moment, rounded down to less than a millisecond', -0.001, false],
  ['in the same moment', 0, false],
  ['after it', 5_000, false],
])('a file was left by an interrupted purge if it was written %s', (_when, afterRemovalMs, isLeft) => {
  expect(isLeftByPurge(removedAtMs + afterRemovalMs, removedAtMs)).toBe(isLeft);
});

test('a file of which no removal is known was not left', () => {
  expect(isLeftByPurge(removedAtMs, -Infinity)).toBe(false);
});
