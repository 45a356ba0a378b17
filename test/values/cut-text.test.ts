import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from '../../src/values/cut-text.js';

test.each([
  ['a text that fits stays', 'abc', 3, 'abc'],
  ['a longer one is cut, and its end is marked', 'abcd', 3, 'ab…'],
  ['a character of two units stays whole', 'a😀b', 3, 'a…'],
  ['a character of two units that fits', '😀bc', 3, '😀…'],
])('%s', (_what, text, longest, expected) => {
  expect(cutText(text, longest)).toBe(expected);
});

test('what is left of a text is its beginning, and well-formed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.integer({ min: 2, max: 12 }),
      (text, longest) => {
        const cut = cutText(text, longest);
        expect(cut.length).toBeLessThanOrEqual(longest);
        expect(cut.isWellFormed()).toBe(true);
        expect(text.startsWith(text.length > longest ? cut.slice(0, -1) : cut)).toBe(true);
      },
    ),
  );
});
