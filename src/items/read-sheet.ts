import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { shortenedNumber, spreadsheetError } from '../damaged-input/cell-damage.js';
import { describeInvalidByte, firstInvalidByte, utf8Mark } from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';
import { onDisk } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import { decisionColumns, type DecisionColumn } from '../findings/open-item.js';
import { listed } from './decision-request.js';

/** A row of an edited `open-items.csv`, with the cells that decide something; the others are only for people. */
export interface SheetRow {
  /** The first physical line of the row. */
  readonly line: number;
  readonly id: string;
  readonly basis: string;
  readonly lapsed: string;
  readonly cells: Readonly<Record<DecisionColumn, string>>;
}

export interface Sheet {
  readonly name: string;
  readonly sha256: string;
  readonly rows: readonly SheetRow[];
}

/** Spreadsheets save with the separator of their country. */
const separators = [';', ',', '\t'];
const needed = ['DiscrepancyId', 'Decision', 'Basis'];

/**
 * Reads a sheet that was given back. A row without any decision cell is left out.
 *
 * @throws ReconError SHEET_INVALID with every damaged row, DISK_FAILED
 */
export async function readSheet(file: string): Promise<Sheet> {
  const name = path.basename(file);
  const bytes = await onDisk(`read the sheet ${name}`, () => readFile(file));
  const { header, records } = parseSheet(textOf(bytes, name), name);
  const at = (column: string) => header.indexOf(column);
  const missing = needed.filter((column) => at(column) === -1);
  if (missing.length > 0) {
    throw invalid(name, [
      `line 1: the column ${missing.join(', ')} is missing; the sheet is open-items.csv.`,
    ]);
  }
  const problems: string[] = [];
  const rows = records.flatMap(({ cells, line }): SheetRow[] => {
    const cell = (column: string) => plainText(cells[at(column)] ?? '');
    const decided = Object.fromEntries(decisionColumns.map((column) => [column, cell(column)]));
    if (Object.values(decided).every((text) => text === '')) return [];
    const row: SheetRow = {
      line,
      id: cell('DiscrepancyId'),
      basis: cell('Basis'),
      lapsed: cell('Lapsed'),
      // It has an entry for each of the columns.
      cells: decided as Record<DecisionColumn, string>,
    };
    problems.push(...damageOfRow(row));
    return [row];
  });
  if (problems.length > 0) throw invalid(name, problems);
  return { name, sha256: createHash('sha256').update(bytes).digest('hex'), rows };
}

/** @throws ReconError SHEET_INVALID */
export function invalid(name: string, problems: readonly string[]): ReconError {
  return new ReconError('SHEET_INVALID', listed(`Nothing of ${name} was stored`, problems));
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

interface ParsedRow {
  readonly cells: readonly string[];
  readonly line: number;
}

function parseSheet(text: string, name: string): { header: readonly string[]; records: ParsedRow[] } {
  const [head = ''] = text.split(/\r?\n/, 1);
  const delimiter =
    separators.find((separator) =>
      head.split(separator).some((cell) => unquoted(cell) === 'DiscrepancyId'),
    ) ?? ';';
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
  const rows = parsed.map(({ record, info }): ParsedRow => {
    const line = next;
    next = info.lines + 1;
    return { cells: record, line };
  });
  return { header: (rows[0]?.cells ?? []).map(unquoted), records: rows.slice(1) };
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

/** What a spreadsheet did to the cells that name the item; empty when nothing. */
function damageOfRow({ line, id, basis, cells }: SheetRow): string[] {
  const damaged = (text: string) =>
    shortenedNumber.test(text) || spreadsheetError.test(text)
      ? ' a spreadsheet changed it: take the cell from the sheet as it was given out.'
      : '';
  const problem = (column: string, text: string, expected: string) =>
    `line ${line}: ${column} is "${text}", not ${expected};${damaged(text) || ' leave it as it was given out.'}`;
  return [
    ...(/^[0-9a-f]{32}$/.test(id) ? [] : [problem('DiscrepancyId', id, '32 hexadecimal digits')]),
    ...(/^b[0-9a-f]{16}n\d+$/.test(basis) ? [] : [problem('Basis', basis, 'as it was written')]),
    ...(damaged(cells.LinkTo) === '' ? [] : [problem('LinkTo', cells.LinkTo, 'a payment')]),
  ];
}
