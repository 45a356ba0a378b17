import { damageSentence, type CellMeaning } from '../damaged-input/cell-damage.js';
import { describeInvisible, holdsInvisible } from '../damaged-input/invisible-characters.js';
import { damagedHeader, emptyColumns } from '../damaged-input/damaged-header.js';
import { otherSeparator } from '../damaged-input/other-separator.js';
import { counted } from '../values/counted.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { paymentColumns } from './payment-columns.js';

/** Why a line of the payments file cannot be stored. `column` is empty when it concerns the whole line. */
export interface LineIssue {
  readonly line: number;
  readonly column: string;
  readonly message: string;
}

/** Every issue of one line; empty if it can be stored. Pure. */
export function checkPaymentRow(cells: readonly string[], line: number): LineIssue[] {
  if (cells.length !== paymentColumns.length) {
    const message = `has ${counted(cells.length, 'column')} instead of ${paymentColumns.length}`;
    return [{ line, column: '', message }];
  }
  const issues: LineIssue[] = [];
  // No array per cell: it doubled the time of checking a row.
  for (let index = 0; index < paymentColumns.length; index += 1) {
    const column = paymentColumns[index];
    const value = cells[index] ?? '';
    if (column === undefined || (value === '' ? !column.required : column.fits(value))) continue;
    const { name, rule, meaning } = column;
    const message = value === '' ? 'is required' : `${rule}, not "${shown(value)}"${hints(meaning, value)}`;
    issues.push({ line, column: name, message });
  }
  return issues;
}

/** Sentences that follow a message: invisible characters in the value, and what seems to have damaged it. */
function hints(meaning: CellMeaning, value: string): string {
  const invisible = holdsInvisible(value) ? `It holds ${describeInvisible(value)}.` : '';
  const sentences = [invisible, damageSentence(meaning, value)].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? '' : `. ${sentences.join(' ')}`;
}

/** Every issue of the header line: the sixteen names, in their order. Pure. */
export function checkPaymentsHeader(cells: readonly string[]): LineIssue[] {
  const wrong = paymentColumns.findIndex(({ name }, index) => cells[index] !== name);
  if (wrong === -1 && cells.length === paymentColumns.length) return [];
  const expected = paymentColumns[wrong]?.name;
  if (expected === undefined) {
    const count = `the header has ${counted(cells.length, 'column')} instead of ${paymentColumns.length}`;
    const empty = emptyColumns(cells, paymentColumns.length);
    return [{ line: 1, column: '', message: empty === '' ? count : `${count}. ${empty}` }];
  }
  const found = cells[wrong] ?? '';
  const what = `the header must name ${expected} in column ${wrong + 1}, not "${shown(found)}"`;
  const cause = otherSeparator(cells, paymentColumns.length) || damagedHeader(expected, found);
  return [{ line: 1, column: '', message: cause === '' ? what : `${what}. ${cause}` }];
}

const longestShown = 40;

/** A value made safe for a message: short, on one line, without card numbers. */
function shown(value: string): string {
  const safe = maskCardNumbers(value).replace(/[\x00-\x1f\x7f-\x9f]/g, '?');
  return safe.length > longestShown ? `${safe.slice(0, longestShown)}…` : safe;
}
