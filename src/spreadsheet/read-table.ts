import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describeInvalidByte, firstInvalidByte, utf8Mark } from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';
import { isMissing, onDisk, systemCodeOf } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import { isWorkbook } from './archive-limits.js';
import { readWorkbook } from './read-workbook.js';
import { invalid } from './sheet-problems.js';

/** A row of a sheet that was given back. */
export interface TableRow {
  /** The first physical line of the row; in a workbook the row of its sheet. */
  readonly line: number;
  /** The sheet of a workbook. */
  readonly sheet: string | null;
  readonly cells: readonly string[];
}

/** A sheet as a person saved it. */
export interface GivenTable {
  readonly name: string;
  readonly sha256: string;
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableShape {
  /** Names of columns, of which the header has one at least: they show what the separator is, or which sheet it is. */
  readonly marks: readonly string[];
  /** A row in which all of these columns are empty is left out, if there are such columns; most rows of a long sheet. */
  readonly toFill: readonly string[];
}

/** `line 12`, or `sheet error, row 12`: where a row stands, for a message. */
export function placeOf({ line, sheet }: Pick<TableRow, 'line' | 'sheet'>): string {
  return sheet === null ? `line ${line}` : `sheet ${sheet}, row ${line}`;
}

/** Spreadsheets save with the separator of their country. */
const separators = [';', ',', '\t'];

/**
 * Reads a sheet that a person edited and saved: as CSV, whatever the separator, or as a workbook (XLSX), of which all
 * sheets with the columns are read.
 *
 * @throws ReconError SHEET_INVALID, FILE_UNREADABLE, DISK_FAILED
 */
export async function readTable(file: string, shape: TableShape): Promise<GivenTable> {
  const name = path.basename(file);
  const bytes = await onDisk(`read the sheet ${name}`, () => bytesOf(file));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const table = new KeptRows(shape);
  if (isWorkbook(bytes)) await readSheets(bytes, name, table);
  else parseTable(textOf(bytes, name), name, table);
  return { name, sha256, header: table.header, rows: table.rows };
}

/** A wrong path is a mistake in the command, not a failure of the disk, which would be exit code 6. */
async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (thrown) {
    const why = isMissing(thrown) ? 'does not exist' : isFolder(thrown) ? 'is a folder' : null;
    if (why === null) throw thrown;
    throw new ReconError('FILE_UNREADABLE', `The sheet ${file} ${why}. Nothing was stored.`, {
      cause: thrown,
    });
  }
}

const isFolder = (thrown: unknown): boolean => systemCodeOf(thrown) === 'EISDIR';

/** The rows that somebody filled in. */
class KeptRows {
  readonly shape: TableShape;
  readonly rows: TableRow[] = [];
  header: readonly string[] = [];

  constructor(shape: TableShape) {
    this.shape = shape;
  }

  add(row: TableRow): void {
    const columns = this.shape.toFill.map((name) => this.header.indexOf(name)).filter((at) => at !== -1);
    if (columns.length > 0 && columns.every((at) => (row.cells[at] ?? '').trim() === '')) return;
    this.rows.push(row);
  }
}

/** The first row of a sheet is its header; sheets that have none of the marks, such as totals, are not read. */
async function readSheets(bytes: Buffer, name: string, table: KeptRows): Promise<void> {
  let current: string | null = null;
  /** Where the columns of the first header are in the present sheet; undefined if it is not read. */
  let columns: readonly number[] | undefined;
  for await (const { sheet, row, cells } of readWorkbook(bytes, name)) {
    if (sheet !== current) {
      current = sheet;
      const header = cells.map((cell) => cell.trim());
      const isMarked = header.some((column) => table.shape.marks.includes(column));
      if (isMarked && table.header.length === 0) table.header = header;
      columns = isMarked ? table.header.map((column) => header.indexOf(column)) : undefined;
    } else if (columns !== undefined) {
      table.add({ line: row, sheet, cells: columns.map((at) => cells[at] ?? '') });
    }
  }
  if (table.header.length === 0) {
    throw invalid(name, [`no sheet has the column ${table.shape.marks.join(' or ')} in its first row.`]);
  }
}

/** How an old workbook begins, and any that has a password. */
const compoundFile = 'd0cf11e0';

function textOf(bytes: Buffer, name: string): string {
  if (bytes.toString('hex', 0, 4) === compoundFile) {
    throw invalid(name, [
      'it is an old Excel workbook (.xls) or has a password: save it as .xlsx without a password.',
    ]);
  }
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

function parseTable(text: string, name: string, table: KeptRows): void {
  const { marks } = table.shape;
  const [head = ''] = text.split(/\r?\n/, 1);
  const delimiter =
    separators.find((separator) => head.split(separator).some((cell) => marks.includes(unquoted(cell)))) ??
    ';';
  let line = 1;
  let isHeader = true;
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      // Rows are taken one by one: 600,000 of them would not fit into memory.
      on_record: (cells: string[], { lines }) => {
        const isEmptyLine = cells.length === 1 && cells[0] === '';
        if (isHeader && !isEmptyLine) table.header = cells.map(unquoted);
        else if (!isEmptyLine) table.add({ line, sheet: null, cells });
        isHeader &&= isEmptyLine;
        line = lines + 1;
        return null;
      },
    });
  } catch (thrown) {
    throw invalid(name, [
      `a quote is opened and never closed (${thrown instanceof Error ? thrown.message : ''}).`,
    ]);
  }
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
