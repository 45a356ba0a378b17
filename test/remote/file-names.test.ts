import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeName, matchesGlob, nameWithHash, showName } from '../../src/remote/file-names.js';

describe('judgeName', () => {
  test.each([
    ['settlement.csv', 'take'],
    ['Abrechnung März 2026 (1).csv', 'take'],
    ['决算.csv', 'take'],
    ['-rf.csv', 'take'],
    ['$(reboot).csv', 'take'],
    ['a;b|c&d.csv', 'take'],
    ['%2e%2e%2fx.csv', 'take'],
    ['settlement.txt', 'ignore'],
    ['.', 'ignore'],
    ['..', 'ignore'],
  ])('F43 %j: %s', (name, verdict) => {
    expect(judgeName(name, '*.csv')).toBe(verdict);
  });

  test.each([
    '.settlement.csv',
    'settlement.csv.filepart',
    'settlement.csv.part',
    'settlement.csv.partial',
    'settlement.csv.tmp',
    'settlement.TMP',
    'settlement.csv~',
    '.settlement.csv.swp',
  ])('F30 %j is still being written, or hidden', (name) => {
    expect(judgeName(name, '*')).toBe('ignore');
  });

  test.each(['../../etc/x.csv', '/etc/x.csv', '..\\x.csv', 'a/b.csv', 'nul\u0000.csv', '.\u0000.csv'])(
    'F42 %j is reported, and never becomes a local path',
    (name) => {
      expect(judgeName(name, '*.csv')).toBe('unsafe');
    },
  );

  test.each([
    'line\nbreak.csv',
    'carriage\rreturn.csv',
    'ends.csv\r\n',
    'esc\u001b[2J.csv',
    'c1\u009b31m.csv',
    'right\u202eto-left.csv',
    'isolate\u2066.csv',
    'line\u2028separator.csv',
    'zero\u200bwidth.csv',
    'bom\ufeff.csv',
    `${'x'.repeat(252)}.csv`,
  ])('F43 %j is reported', (name) => {
    expect(judgeName(name, '*.csv')).toBe('unsafe');
  });

  test('F43 255 bytes are still a name', () => {
    expect(judgeName(`${'x'.repeat(251)}.csv`, '*.csv')).toBe('take');
    expect(judgeName(`${'ü'.repeat(125)}x.csv`, '*.csv')).toBe('take');
    expect(judgeName(`${'ü'.repeat(126)}.csv`, '*.csv')).toBe('unsafe');
  });

  test('F44 bytes that were not UTF-8 are reported', () => {
    expect(judgeName(Buffer.from([0x61, 0xfc, 0x2e, 0x63, 0x73, 0x76]).toString(), '*.csv')).toBe('unsafe');
  });

  test('a dangerous name that does not match the pattern is ignored', () => {
    expect(judgeName('line\nbreak.txt', '*.csv')).toBe('ignore');
  });
});

describe('showName', () => {
  test('escapes control characters that a terminal or a log would act on', () => {
    expect(showName('a\u001b[31m\r\n\u202e\ufffd.csv')).toBe('a\\u001b[31m\\u000d\\u000a\\u202e\\ufffd.csv');
  });

  test('truncates a card number', () => {
    expect(showName('4200000000000000.csv')).toBe('420000******0000.csv');
  });

  test('never cuts a character in two, which the database would refuse', () => {
    const name = `${'a'.repeat(116)}\u{1f600}${'b'.repeat(20)}.csv`;
    expect(showName(name)).toBe(`${'a'.repeat(116)}…`);
  });

  test('never shows unprintable characters, whatever the length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const shown = showName(name);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(shown.length).toBeLessThanOrEqual(120);
      }),
    );
  });
});

describe('matchesGlob', () => {
  test('agrees with the regular expression for small cases', () => {
    const part = fc.constantFrom('a', 'b', '.', '*', '?');
    const letters = fc.constantFrom('a', 'b', '.', '\n');
    fc.assert(
      fc.property(fc.array(part), fc.array(letters), (glob, text) => {
        const regular = new Map([
          ['*', '[^]*'],
          ['?', '[^]'],
          ['.', '\\.'],
        ]);
        const pattern = new RegExp(`^${glob.map((one) => regular.get(one) ?? one).join('')}$`);
        expect(matchesGlob(glob.join(''), text.join(''))).toBe(pattern.test(text.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  test('many stars and a long name take no time', () => {
    expect(matchesGlob(`${'*a'.repeat(30)}b`, 'a'.repeat(20_000))).toBe(false);
  });
});

test.each([
  ['settlement.csv', 'settlement-01234567.csv'],
  ['settlement.2026.csv', 'settlement.2026-01234567.csv'],
  ['settlement', 'settlement-01234567'],
])('%s beside another of its name is %s', (name, expected) => {
  expect(nameWithHash(name, '0123456789abcdef')).toBe(expected);
});

test.each([
  ['longest that stays whole', `${'a'.repeat(242)}.csv`, `${'a'.repeat(242)}-01234567.csv`],
  ['longest of a disk', `${'a'.repeat(251)}.csv`, `${'a'.repeat(242)}-01234567.csv`],
  ['cut after a character', `${'é'.repeat(125)}a.csv`, `${'é'.repeat(121)}-01234567.csv`],
  ['cut before a character', `b${'é'.repeat(125)}.csv`, `b${'é'.repeat(120)}-01234567.csv`],
  ['of a long extension', `a.${'b'.repeat(253)}`, 'a-01234567'],
])('F43 beside another of its name, the name that is %s fits the disk', (_which, name, expected) => {
  expect(nameWithHash(name, '0123456789abcdef')).toBe(expected);
});
