import { longestCell } from '../values/cut-text.js';
import type { CellMeaning } from './cell-damage.js';

/**
 * Whether a cell is the day (yyyy-MM-dd), or the day as a spreadsheet of some country writes it. With dots and hyphens
 * the day stands first, with slashes the day or the month: countries differ. A year that stands first is followed by
 * the month in each of them, so a person who exchanges month and day of a yyyy-MM-dd has changed the day.
 */
export function isSameDay(cell: string, day: string): boolean {
  if (cell === day) return true;
  const [, year, month = '', date = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const [, first, mark, second = '', third = ''] =
    /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?: |$)/.exec(cell) ?? [];
  if (year === undefined || first === undefined) return false;
  const isRead = (givenYear: string, givenMonth: string, givenDate: string) =>
    (givenYear === year || (givenYear.length === 2 && year.endsWith(givenYear))) &&
    Number(givenMonth) === Number(month) &&
    Number(givenDate) === Number(date);
  if (first.length === 4) return isRead(first, second, third);
  return isRead(third, second, first) || (mark === '/' && isRead(third, first, second));
}

/**
 * Whether a cell of a sheet that was given back is the cell that was given out, apart from what a spreadsheet does to
 * cells that nobody touched: another notation of a day or an amount, seconds that are not shown, lost zeros, and the
 * marks that a report puts before formulas.
 */
export function isSameCell(meaning: CellMeaning, given: string, original: string): boolean {
  if (isSameContent(given, original)) return true;
  switch (meaning) {
    case 'date':
      return isSameDay(given, original);
    case 'timestamp':
      return isSameMoment(given, original);
    case 'amount':
      return (
        /^\d{1,10}\.\d\d$/.test(original) &&
        /^\d+(?:[.,]\d{1,2})?$/.test(given) &&
        Number(given.replace(',', '.')) === Number(original)
      );
    case 'last four':
      return /^\d{1,4}$/.test(given) && given.padStart(4, '0') === original;
    case 'reference':
    case 'other':
      return false;
  }
}

/**
 * Whether a cell is the text, or what a spreadsheet makes of a text that it takes for a number or a day: `12` of
 * `0012`, `10.1` of `10.10`, `1.23E+19` of a reference of twenty digits, `19.11.2026` of `2026-11-19`.
 */
export function isSameText(given: string, original: string): boolean {
  return (
    isSameContent(given, original) ||
    isSameNumber(given.trim(), original.trim()) ||
    isSameDay(given, original)
  );
}

/** A number without the zeros that say nothing: its value is 0.DIGITS times ten to the power. */
interface PlainNumber {
  readonly digits: string;
  readonly power: number;
  /** How many digits it was written with. */
  readonly written: number;
  readonly isShortened: boolean;
}

function numberOf(text: string): PlainNumber | undefined {
  const [, whole, part = '', exponent] =
    /^(\d{1,40})(?:[.,](\d{1,40}))?(?:E([+-]?\d{1,3}))?$/i.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const written = whole + part;
  const digits = written.replace(/^0+/, '');
  const power = digits === '' ? 0 : whole.length - (written.length - digits.length) + Number(exponent ?? 0);
  return {
    digits: digits.replace(/0+$/, ''),
    power,
    written: written.length,
    isShortened: exponent !== undefined,
  };
}

/** Spreadsheets keep 15 digits of a number, some 17, and write a long one with fewer and an exponent. */
function isSameNumber(given: string, original: string): boolean {
  const [shown, before] = [numberOf(given), numberOf(original)];
  if (shown === undefined || before === undefined) return false;
  if (shown.digits === before.digits && shown.power === before.power) return true;
  // A person who changes one digit of a long reference writes all of them.
  if (shown.digits.length >= Math.min(before.digits.length, 18)) return false;
  if (shown.isShortened) return isCut(before, shown.written, shown);
  return isCut(before, 15, shown) || (shown.digits.length > 15 && Number(given) === Number(original));
}

/** Whether the second number is the first one, rounded or cut off after this many digits. */
function isCut({ digits, power }: PlainNumber, length: number, shown: PlainNumber): boolean {
  const head = digits.slice(0, length);
  const up = (BigInt(head) + 1n).toString();
  const cut = (text: string, raised: number) =>
    text.replace(/0+$/, '') === shown.digits && power + raised === shown.power;
  return cut(head, 0) || ((digits[length] ?? '0') >= '5' && cut(up, up.length - head.length));
}

function isSameMoment(given: string, original: string): boolean {
  const [day = '', time = ''] = original.split(' ');
  const [, shownTime = ''] = given.split(' ');
  return (
    /^\d{4}-\d\d-\d\d$/.test(day) &&
    /^\d{1,2}:\d\d(?::\d\d)?$/.test(shownTime) &&
    time.startsWith(
      shownTime.padStart(shownTime.length === 4 || shownTime.length === 7 ? shownTime.length + 1 : 0, '0'),
    ) &&
    isSameDay(given, day)
  );
}

/** A text of that length was cut, by a report or a spreadsheet: nobody types as much into a cell. */
const cutLength = longestCell / 2;

/** Whether a text is the one that was given out, apart from marks, line ends, and what a cell has no room for. */
function isSameContent(given: string, original: string): boolean {
  const [shown, before] = [contentOf(given), contentOf(original)];
  if (shown === before) return true;
  return shown.length > cutLength && shown.endsWith('…') && before.startsWith(shown.slice(0, -1));
}

/**
 * A mark stands before the blanks at the beginning of a text, so it is removed first. Only the first of several
 * carriage returns begins a match: if each did, a cell of a million of them would take a quarter of an hour.
 */
const contentOf = (text: string) =>
  text
    .replaceAll("'", '')
    .replace(/(?<!\r)\r+\n/g, '\n')
    .trim();
