import { firstInvalidByte, invalidByteLooks, utf8Mark, wideEncoding } from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';
import { invalid } from './sheet-problems.js';

/** How an old workbook begins, and any that has a password. */
const compoundFile = 'd0cf11e0';

const saveAs = 'save it as .xlsx, or as "CSV UTF-8"';

/** Where a spreadsheet saves "Unicode Text", with the mark that says so. */
const wideMarks: Readonly<Record<string, string>> = { 'UTF-16LE': 'fffe', 'UTF-16BE': 'feff' };

/**
 * The text of a sheet that is not a workbook, in UTF-8 and without a mark. It stays bytes: a sheet of hundreds of
 * megabytes would be in memory three times.
 *
 * @throws ReconError SHEET_INVALID for anything else than text
 */
export function sheetText(bytes: Buffer, name: string): Buffer {
  if (bytes.toString('hex', 0, 4) === compoundFile) {
    throw invalid(name, [
      'it is an old Excel workbook (.xls) or has a password: save it as .xlsx without a password.',
    ]);
  }
  const head = bytes.subarray(0, headBytes);
  const wide = wideEncoding(head);
  if (wide !== undefined && wideMarks[wide] === bytes.toString('hex', 0, 2))
    return Buffer.from(wideText(bytes, wide, name));
  const foreign = foreignContent(head);
  if (foreign !== undefined) throw invalid(name, [`it is ${foreign.what}: ${saveAs}.`]);
  const wrong = firstInvalidByte(bytes);
  if (wrong !== -1) {
    const line = bytes.subarray(0, wrong).toString('latin1').split('\n').length;
    throw invalid(name, [`line ${line}: it is not UTF-8; ${invalidByteLooks(bytes[wrong] ?? 0)}${saveAs}.`]);
  }
  const begin = bytes.subarray(0, 3).equals(utf8Mark) ? 3 : 0;
  return bytes.subarray(begin);
}

function wideText(bytes: Buffer, encoding: string, name: string): string {
  try {
    return new TextDecoder(encoding.toLowerCase(), { fatal: true }).decode(bytes);
  } catch {
    throw invalid(name, [`it is damaged ${encoding}: ${saveAs}.`]);
  }
}
