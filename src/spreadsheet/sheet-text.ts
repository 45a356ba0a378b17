import {
  firstInvalidByte,
  incompleteBytes,
  invalidByteLooks,
  wideEncoding,
} from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';
import { invalid } from './sheet-problems.js';

/** How an old workbook begins, and any that has a password. */
const compoundFile = 'd0cf11e0';

const saveAs = 'save it as .xlsx, or as "CSV UTF-8"';

/** Where a spreadsheet saves "Unicode Text", with the mark that says so. */
const wideMarks: Readonly<Record<string, string>> = { 'UTF-16LE': 'fffe', 'UTF-16BE': 'feff' };

/**
 * What the first bytes of a sheet that is not a workbook show: a text in UTF-16, or what has to be UTF-8 (null).
 *
 * @throws ReconError SHEET_INVALID for anything else than text
 */
export function wideEncodingOf(head: Buffer, name: string): string | null {
  if (head.toString('hex', 0, 4) === compoundFile) {
    throw invalid(name, [
      'it is an old Excel workbook (.xls) or has a password: save it as .xlsx without a password.',
    ]);
  }
  const wide = wideEncoding(head);
  if (wide !== undefined && wideMarks[wide] === head.toString('hex', 0, 2)) return wide;
  const foreign = foreignContent(head.subarray(0, headBytes));
  if (foreign !== undefined) throw invalid(name, [`it is ${foreign.what}: ${saveAs}.`]);
  return null;
}

/** The text of a sheet in UTF-16, without its mark. */
export function wideText(bytes: Buffer, encoding: string, name: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding.toLowerCase(), { fatal: true }).decode(bytes));
  } catch {
    throw invalid(name, [`it is damaged ${encoding}: ${saveAs}.`]);
  }
}

/** Checks that the pieces of a text, one after another, are UTF-8. */
export class Utf8Check {
  readonly #name: string;
  #line = 1;
  /** The beginning of a character that the next piece continues. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws ReconError SHEET_INVALID with the line of the first byte that is not UTF-8 */
  add(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const whole = bytes.length - incompleteBytes(bytes);
    this.#require(bytes.subarray(0, whole));
    this.#line += linesIn(bytes.subarray(0, whole));
    this.#rest = Buffer.from(bytes.subarray(whole));
  }

  /** After the last piece. */
  end(): void {
    this.#require(this.#rest);
  }

  #require(bytes: Buffer): void {
    const wrong = firstInvalidByte(bytes);
    if (wrong === -1) return;
    const line = this.#line + linesIn(bytes.subarray(0, wrong));
    throw invalid(this.#name, [
      `line ${line}: it is not UTF-8; ${invalidByteLooks(bytes[wrong] ?? 0)}${saveAs}.`,
    ]);
  }
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
