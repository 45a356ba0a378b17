import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { invisibleCharacters } from '../damaged-input/invisible-characters.js';

/** Why a row is rejected: a closed list, each with a sentence for docs/codes.md and for finance. */
export const issueCodes = {
  COLUMN_COUNT: 'The row does not have 36 cells.',
  EMPTY_ROW: 'The row has only separators; spreadsheets leave such rows below a table.',
  REQUIRED: 'A required cell is empty.',
  CONTROL_CHARACTER:
    'The cell contains a control or invisible character; such a row is rejected, the character never removed.',
  NOT_ALLOWED_VALUE: 'The cell must contain one of the allowed values, written exactly as listed.',
  TOO_SHORT: 'The cell has fewer characters than the column allows.',
  TOO_LONG: 'The cell has more characters than the column allows.',
  PATTERN: 'The cell contains characters that the column does not allow.',
  SPREADSHEET_NUMBER:
    'A spreadsheet treated the reference as a number and shortened it, for example to 1.23E+31; its digits are lost.',
  SPREADSHEET_ERROR: 'The cell contains an error value of a spreadsheet, for example ##### or #NAME?.',
  LOST_ZEROS: 'A spreadsheet dropped the leading zeros: the column has four digits.',
  NOT_AN_AMOUNT: 'An amount is 1 to 10 digits, a dot and 2 digits, for example 123.45.',
  UNKNOWN_CURRENCY: 'A currency is an ISO 4217 code in capitals, for example EUR.',
  NOT_A_DATE: 'A date is an existing day of the years 1900 to 2099, written yyyy-MM-dd.',
  NOT_A_TIMESTAMP:
    'A time is an existing point in time, written yyyy-MM-dd HH:mm:ss, optionally with fraction and zone offset.',
} as const;

/** The word in column Code of `rejected-rows.csv`; `issueCodes` explains each. */
export type IssueCode = keyof typeof issueCodes;

/** One reason why a row is rejected. */
export interface RowIssue {
  /** The column's name; empty when it concerns the row as a whole. */
  readonly column: string;
  readonly code: IssueCode;
  readonly message: string;
  /** The cell's value, shortened, with card numbers masked and invisible characters spelled out. */
  readonly value: string;
}

const longestValue = 80;

/** Of so many characters, at least twice as many remain as are shown: a masked number is half as long at least. */
const shownFrom = 5 * longestValue;

/** Makes the value of a cell safe for a report. */
export function presentCell(value: string): string {
  const shown = spellOutInvisible(maskCardNumbers(beginningOf(value)));
  const characters = Array.from(shown.slice(0, 2 * longestValue + 2));
  return characters.length > longestValue
    ? `${characters.slice(0, longestValue).join('')}…`
    : characters.join('');
}

/**
 * The beginning of a long value, up to a character that is part of no card number: masked alone, it is the beginning of
 * the masked value. A cell may have a megabyte, and looking for card numbers in all of it would take most of the time.
 */
function beginningOf(value: string): string {
  let end = shownFrom;
  while (end < value.length && isPartOfNumber(value.charCodeAt(end))) end += 1;
  return end < value.length ? value.slice(0, end + 1) : value;
}

/** A digit, or what may separate the groups of a number. */
function isPartOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x20 || code === 0x2d;
}

/** Replaces each control or invisible character by its number, such as `\u200b`, so that a reader sees it. */
function spellOutInvisible(text: string): string {
  return text.replace(
    invisibleCharacters,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
