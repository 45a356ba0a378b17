import type { CellMeaning } from './cell-damage.js';

/**
 * Whether a cell is the day (yyyy-MM-dd), or the day as a spreadsheet of some country writes it. With dots and hyphens
 * the day stands first, with slashes the day or the month: countries differ. A year that stands first is followed by
 * the month in each of them, so a person who exchanges month and day of a yyyy-MM-dd has changed the day.
 */
export function isSameDay(cell: string, day: string): boolean {
  if (cell === day) return true;
  const [, year = '', month = '', date = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const [, first = '', mark, second = '', third = ''] =
    /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?: |$)/.exec(cell) ?? [];
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
  if (withoutMarks(given) === withoutMarks(original)) return true;
  switch (meaning) {
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(original) && isSameDay(given, original);
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

const withoutMarks = (text: string) => text.trim().replaceAll("'", '');
