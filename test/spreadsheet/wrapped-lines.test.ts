import { describe, expect, test } from 'vitest';
import { wrappedLines } from '../../src/spreadsheet/wrapped-lines.js';

describe('the lines of a wrapped text', () => {
  const word = 'abcde ';
  test.each<[what: string, text: string, lines: number]>([
    ['nothing', '', 1],
    ['a short text', 'paid', 1],
    ['a text as long as a line', 'x'.repeat(10), 1],
    ['a word that is longer than a line', 'x'.repeat(11), 2],
    ['such a word after another', `ab ${'x'.repeat(21)}`, 4],
    ['words that do not divide a line evenly', word.repeat(4).trim(), 4],
    ['line breaks', 'a\nb\nc', 3],
    ['line breaks and long lines', `a\n${'x'.repeat(11)}\n`, 4],
    ['characters of twice the width', '日本語日本語', 2],
  ])('%s', (_, text, lines) => {
    // Lines are assumed to be eight characters narrower than the column.
    expect(wrappedLines(text, 18)).toBe(lines);
  });
});
