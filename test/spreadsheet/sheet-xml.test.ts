import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowXml } from '../../src/spreadsheet/row-xml.js';
import { SharedStrings, type SheetCell, type SheetColumn } from '../../src/spreadsheet/sheet-xml.js';
import { addDays } from '../../src/values/calendar-date.js';

const column: SheetColumn = { name: 'Cell', width: 20, type: 'text' };

/** How a cell is stored. */
const xmlOf = (cell: SheetCell) => new RowXml([column], new SharedStrings()).write(2, [cell]);

/** As a number, which a spreadsheet adds up; else as a text. */
const asNumber = (cell: SheetCell) => /<v>(.*)<\/v>/.exec(xmlOf(cell))?.[1];

test.each([' a', 'a ', 'a\n', '\ta'])('the blanks around %j are kept', (text) => {
  expect(xmlOf(text)).toContain(`<t xml:space="preserve">${text}</t>`);
});

test('an amount is a number as long as a spreadsheet keeps all its digits', () => {
  const amount = (amountMinor: bigint) => ({ amountMinor, digits: 2 }) as const;
  expect(asNumber(amount(999_999_999_999_999n))).toBe('9999999999999.99');
  expect(asNumber(amount(1_000_000_000_000_001n))).toBeUndefined();
  expect(xmlOf(amount(1_000_000_000_000_001n))).toContain('<t>10000000000000.01</t>');
});

test('a day is a number from the first one on that all spreadsheets count alike', () => {
  expect(asNumber({ date: '1900-03-01' })).toBe('61');
  expect(asNumber({ date: '1900-02-28' })).toBeUndefined();
  expect(xmlOf({ date: '1900-02-28' })).toContain('<t>1900-02-28</t>');
});

test('any number of days are numbers', () => {
  for (let days = 0; days < 1_100; days += 1)
    expect(asNumber({ date: addDays('2026-11-19', days) })).toBe(`${46_345 + days}`);
});

test('the XML of a row does not depend on the rows before it', () => {
  const columns: SheetColumn[] = [
    { name: 'Code', width: 9, type: 'text', repeats: true },
    { name: 'Remedy', width: 9, type: 'text', repeats: true, wraps: true },
    { name: 'Message', width: 9, type: 'text', wraps: true },
    { name: 'Amount', width: 9, type: 'amount' },
  ];
  const text = fc.constantFrom(null, '', 'a', 'b & c', 'one two three four');
  const value = fc.constantFrom<SheetCell>(null, 7, { date: '2026-11-19' }, { amountMinor: -5n, digits: 2 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text, value)), (rows) => {
      const strings = new SharedStrings();
      const together = new RowXml(columns, strings);
      const separate = new SharedStrings();
      for (const [index, row] of rows.entries()) {
        expect(together.write(index + 2, row)).toBe(new RowXml(columns, separate).write(index + 2, row));
      }
      expect(strings.toXml()).toBe(separate.toXml());
    }),
  );
});
