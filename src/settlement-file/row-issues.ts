import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { invisibleCharacters } from '../damaged-input/invisible-characters.js';

/** Why a row is rejected: a closed list, each with a sentence for the README and for finance. */
export const issueCodes = {
  COLUMN_COUNT: 'The row does not have 36 cells.',
  EMPTY_ROW: 'The row has only separators, as a spreadsheet leaves them below a table.',
  REQUIRED: 'A required cell is empty.',
  CONTROL_CHARACTER: 'The cell holds a control or invisible character; it is refused, never stripped.',
  NOT_ALLOWED_VALUE: 'The cell must hold one of a few values, written exactly so.',
  TOO_SHORT: 'The cell holds fewer characters than the column allows.',
  TOO_LONG: 'The cell holds more characters than the column allows.',
  PATTERN: 'The cell holds characters that the column does not allow.',
  SPREADSHEET_NUMBER:
    'A spreadsheet took the reference for a number and shortened it, for example to 1.23E+31; its digits are lost.',
  SPREADSHEET_ERROR: 'The cell holds an error value of a spreadsheet, for example ##### or #NAME?.',
  LOST_ZEROS: 'A spreadsheet dropped the leading zeros: the column holds four digits.',
  NOT_AN_AMOUNT: 'An amount is 1 to 10 digits, a dot and 2 digits, for example 123.45.',
  UNKNOWN_CURRENCY: 'A currency is a code of ISO 4217 in capitals, for example EUR.',
  NOT_A_DATE: 'A date is a day that exists, written yyyy-MM-dd.',
  NOT_A_TIMESTAMP:
    'A time is a moment that exists, written yyyy-MM-dd HH:mm:ss, optionally with fraction and zone offset.',
} as const;

export type IssueCode = keyof typeof issueCodes;

/** One reason why a row is rejected. */
export interface RowIssue {
  /** The column's name; empty when it concerns the row as a whole. */
  readonly column: string;
  readonly code: IssueCode;
  readonly message: string;
  /** The value of the cell: card numbers masked, invisible characters spelled out, shortened. */
  readonly value: string;
}

const longestValue = 80;

/** Makes the value of a cell safe for a report. */
export function presentValue(value: string): string {
  const shown = spellOutInvisible(maskCardNumbers(value));
  const characters = Array.from(shown.slice(0, 2 * longestValue + 2));
  return characters.length > longestValue
    ? `${characters.slice(0, longestValue).join('')}…`
    : characters.join('');
}

/** Replaces control and invisible characters by their number, `\u200b`, so that a reader sees them. */
export function spellOutInvisible(text: string): string {
  return text.replace(
    invisibleCharacters,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
