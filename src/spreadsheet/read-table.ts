import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describeInvalidByte, firstInvalidByte, utf8Mark } from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';
import { onDisk } from '../disk/disk-errors.js';
import { invalid } from './sheet-problems.js';

/** A row of a sheet that was given back. */
export interface TableRow {
  /** The first physical line of the row. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A sheet as a person saved it. */
export interface GivenTable {
  readonly name: string;
  readonly sha256: string;
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

/** Spreadsheets save with the separator of their country. */
const separators = [';', ',', '\t'];

/**
 * Reads a sheet that a person edited and saved, whatever the separator.
 *
 * @param marks names of columns, of which the header has one at least: they show what the separator is
 * @throws ReconError SHEET_INVALID, DISK_FAILED
 */
export async function readTable(file: string, marks: readonly string[]): Promise<GivenTable> {
  const name = path.basename(file);
  const bytes = await onDisk(`read the sheet ${name}`, () => readFile(file));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, sha256, ...parseTable(textOf(bytes, name), name, marks) };
}

function textOf(bytes: Buffer, name: string): string {
  const foreign = foreignContent(bytes.subarray(0, headBytes));
  if (foreign !== undefined) throw invalid(name, [`it is ${foreign.what}: ${foreign.advice}.`]);
  const wrong = firstInvalidByte(bytes);
  if (wrong !== -1) {
    const line = bytes.subarray(0, wrong).toString('latin1').split('\n').length;
    throw invalid(name, [`line ${line}: it is not UTF-8; ${describeInvalidByte(bytes[wrong] ?? 0)}.`]);
  }
  const begin = bytes.subarray(0, 3).equals(utf8Mark) ? 3 : 0;
  return bytes.subarray(begin).toString('utf8');
}

function parseTable(
  text: string,
  name: string,
  marks: readonly string[],
): { header: readonly string[]; rows: TableRow[] } {
  const [head = ''] = text.split(/\r?\n/, 1);
  const delimiter =
    separators.find((separator) => head.split(separator).some((cell) => marks.includes(unquoted(cell)))) ??
    ';';
  let parsed: { record: string[]; info: { lines: number } }[];
  try {
    // With `info` every record comes with its position, which the type of the library does not say.
    parsed = parse(text, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
    }) as unknown as typeof parsed;
  } catch (thrown) {
    throw invalid(name, [
      `a quote is opened and never closed (${thrown instanceof Error ? thrown.message : ''}).`,
    ]);
  }
  let next = 1;
  const rows = parsed.map(({ record, info }): TableRow => {
    const line = next;
    next = info.lines + 1;
    return { cells: record, line };
  });
  return { header: (rows[0]?.cells ?? []).map(unquoted), rows: rows.slice(1) };
}

const unquoted = (cell: string) => cell.trim().replace(/^"(.*)"$/, '$1');

/**
 * A cell without what a report or a spreadsheet added: blanks around it, the `'` that keeps a text from being a formula,
 * and the line ends of a system.
 */
export function plainText(cell: string): string {
  return cell
    .replaceAll('\r\n', '\n')
    .trim()
    .replace(/^'(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/, '');
}
