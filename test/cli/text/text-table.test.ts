import { describe, expect, test } from 'vitest';
import { printable, printableLines } from '../../../src/cli/text/printable.js';
import { textTable, widthOf } from '../../../src/cli/text/text-table.js';

test('numbers are aligned right, text left, without trailing blanks', () => {
  const rows = [
    ['a', 7, '1,234.50', null],
    ['longer', 1000, '-5.00', 'x'],
  ];
  expect(textTable(['name', 'n', 'amount', 'end'], rows)).toBe(
    [
      'name       n    amount  end',
      '──────  ────  ────────  ───',
      'a          7  1,234.50',
      'longer  1000     -5.00  x',
    ].join('\n'),
  );
});

test('a heading longer than its column', () => {
  expect(textTable(['number'], [[1]])).toBe('number\n──────\n     1');
});

test('a table may have any number of rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => ['x', index]);
  expect(textTable(['name', 'number'], rows).split('\n').at(-1)).toBe('x     199999');
});

test('wide characters take two places, combining marks none', () => {
  const lines = textTable(
    ['名前', 'b'],
    [
      ['あい', 'x'],
      ['e\u0301', 'y'],
    ],
  ).split('\n');
  expect(lines).toEqual(['名前  b', '────  ─', 'あい  x', 'e\u0301     y']);
  expect(widthOf('👍')).toBe(2);
});

test('the last column is cut to the width of the terminal, but never to nothing', () => {
  const rows = [['a', 'x'.repeat(100)]];
  const widths = (terminalWidth: number) =>
    textTable(['k', 'text'], rows, { terminalWidth }).split('\n').map(widthOf);
  expect(widths(60)).toEqual([7, 60, 60]);
  expect(widths(5)).toEqual([7, 27, 27]);
  expect(textTable(['k', 'text'], rows, { terminalWidth: 60 })).toContain('x…');
});

test('colours do not affect the alignment of the columns', () => {
  const painted = textTable(['a', 'b'], [[{ text: 'x', tone: 'bad' }, 'y']], {
    paint: (tone, text) => `<${tone}>${text}</>`,
  });
  expect(painted.split('\n').at(-1)).toBe('<bad>x</>  y');
});

describe('text from files and servers cannot control the terminal', () => {
  test.each([
    ['plain ünïcode 名前', 'plain ünïcode 名前'],
    ['\u001b[2Jgone', '\\u001b[2Jgone'],
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u202eexe.csv', '\\u202eexe.csv'],
    ['\u061cexe.csv', '\\u061cexe.csv'],
    ['\u009b1m\u0000', '\\u009b1m\\u0000'],
  ])('%j', (text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(textTable(['t'], [[text]])).toContain(shown);
  });

  test('line breaks are kept in text of several lines', () => {
    expect(printableLines('a\n\u001bb')).toBe('a\n\\u001bb');
  });
});

test('a column is shortened in its middle so that the table fits 100 columns', () => {
  const name = `settlement-${'x'.repeat(120)}-2026-11-19.csv`;
  const [, , row = ''] = textTable(['source', 'file', 'rows'], [['acquirer', name, 12]], {
    shorten: 1,
  }).split('\n');
  expect(widthOf(row)).toBe(98);
  expect(row).toMatch(/^acquirer {2}settlement-x+…x+-2026-11-19\.csv {4}12$/);
  const short = textTable(['source', 'file'], [['a', 'b.csv']], { shorten: 1 });
  expect(short).toContain('a       b.csv');
});
