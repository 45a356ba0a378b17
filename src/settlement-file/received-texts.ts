import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { columns } from './columns.js';
import { isValidCell } from './validate-row.js';

/** What {@link maskCardNumbers} leaves of a number. */
const maskedNumber = /\d{6}\*{3,9}\d{4}/;

const freeTexts = columns.flatMap(({ type }, index) => (type.kind === 'text' && type.free ? [index] : []));

/** Whether a free text of a corrected row may have had a card number when it was received. */
export function hasMaskedText(cells: readonly string[]): boolean {
  return freeTexts.some((index) => maskedNumber.test(cells[index] ?? ''));
}

/**
 * A corrected row with those free texts as they were received in which only card numbers are masked. Sheets and
 * corrections have no card numbers, but they belong to the identity of a record (design 4.3), and reconciled files have
 * them.
 *
 * @param received the cells of the row in its file
 */
export function withReceivedTexts(cells: readonly string[], received: readonly string[]): readonly string[] {
  if (!hasMaskedText(cells)) return cells;
  return cells.map((cell, index) => {
    const text = received[index];
    if (text === undefined || !freeTexts.includes(index) || !maskedNumber.test(cell)) return cell;
    return maskCardNumbers(text) === cell && isValidCell(index, text) ? text : cell;
  });
}
