import {
  damageOf,
  formulaError,
  shortenedNumber,
  spreadsheetError,
} from '../../damaged-input/cell-damage.js';
import type { DecisionColumn } from '../../findings/open-item.js';
import { mergedCell, uncalculatedCell } from '../../spreadsheet/cells-without-text.js';
import { placeOf } from '../../spreadsheet/filled-in-table.js';
import { isCalendarDate } from '../../values/calendar-date.js';
import type { SheetRow } from './read-sheet.js';

/** A sentence for each cell that a person changed and that holds what a spreadsheet shows instead of a value. */
export function damagedColumns(row: SheetRow, changed: readonly DecisionColumn[]): string[] {
  return changed.flatMap((column) => {
    const text = row.cells[column];
    const what = shownInstead(text);
    if (what === null) return [];
    return [`${placeOf(row)}: ${column} is "${text}", which is ${what}: write what you mean as a text.`];
  });
}

/** What a spreadsheet shows in a cell instead of its value; null if the cell may have that value. */
function shownInstead(text: string): string | null {
  if (text === uncalculatedCell) return 'a formula without a result';
  if (text === mergedCell) return 'part of merged cells';
  if (spreadsheetError.test(text) || formulaError.test(text)) return 'the error of a formula';
  return shortenedNumber.test(text) ? 'a number that a spreadsheet shortened' : null;
}

/** Why a cell is not the day until which an item waits; null if it is one, or empty. */
export function problemOfDay(until: string): string | null {
  const damage = damageOf('date', until);
  if (damage !== undefined) {
    return `Until is "${until}", which looks like ${damage.what}: ${damage.advice}. If the spreadsheet changes what you write, save the sheet as .xlsx.`;
  }
  if (until === '' || isCalendarDate(until)) return null;
  return `Until is "${until}", which is not a day: write yyyy-MM-dd.`;
}
