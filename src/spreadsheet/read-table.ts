import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { isMissing, onDisk, systemCodeOf } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import { isWorkbook } from './archive-limits.js';
import { FilledInRows, rowsToHeader, type FilledInTable, type TableShape } from './filled-in-table.js';
import { readWorkbook } from './read-workbook.js';
import { invalid } from './sheet-problems.js';
import { sheetText } from './sheet-text.js';

/** Spreadsheets save with the separator of their country. */
const separators = [';', ',', '\t', '|'];

/**
 * Reads a sheet that a person edited and saved: as CSV, whatever the separator, or as a workbook (XLSX), of which all
 * sheets with the columns are read. Titles and empty lines above the header are passed over.
 *
 * @throws ReconError SHEET_INVALID, FILE_UNREADABLE, DISK_FAILED
 */
export async function readTable(file: string, shape: TableShape): Promise<FilledInTable> {
  const name = path.basename(file);
  const bytes = await onDisk(`read the sheet ${name}`, () => bytesOf(file));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const table = new FilledInRows(shape, name);
  if (isWorkbook(bytes)) await readSheets(bytes, name, table);
  else parseTable(sheetText(bytes, name), name, table);
  return { name, sha256, header: table.header, headers: table.headers, rows: table.rows };
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

/** Sheets that have none of the marks, such as totals, are not read. */
async function readSheets(bytes: Buffer, name: string, table: FilledInRows): Promise<void> {
  let current: string | undefined;
  let rows = table.beginSheet(null);
  for await (const { sheet, row, cells, converted } of readWorkbook(bytes, name)) {
    if (sheet !== current) rows = table.beginSheet(sheet);
    current = sheet;
    rows.add(row, cells, converted);
  }
  if (table.headers.length === 0) {
    throw invalid(name, [`no sheet has the column ${table.shape.marks.join(' or ')} in its first rows.`]);
  }
}

function parseTable(text: Buffer, name: string, table: FilledInRows): void {
  const rows = table.beginSheet(null);
  let line = 1;
  try {
    parse(text, {
      delimiter: delimiterOf(text, table.shape),
      relax_column_count: true,
      // All of them, whichever the first line has: a line that was added with another program may end otherwise.
      record_delimiter: ['\r\n', '\n', '\r'],
      // Rows are taken one by one: 600,000 of them would not fit into memory.
      on_record: (cells: string[], { lines }) => {
        if (cells.length > 1 || cells[0] !== '') rows.add(line, cells);
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

function delimiterOf(text: Buffer, { marks }: TableShape): string {
  const isMark = (cell: string) => marks.includes(cell.trim().replace(/^"(.*)"$/, '$1'));
  for (const line of firstLines(text).split(/\r?\n/)) {
    const found = separators.find((separator) => line.split(separator).some(isMark));
    if (found !== undefined) return found;
  }
  return ';';
}

/** The lines among which the header is. */
function firstLines(text: Buffer): string {
  let end = -1;
  for (let line = 0; line < rowsToHeader; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text.toString();
  }
  return text.toString('utf8', 0, end);
}

/**
 * A cell without what a report or a spreadsheet added: blanks around it, the `'` that keeps a text from being a
 * formula, and the line ends of a system.
 */
export function plainText(cell: string): string {
  return cell
    .replaceAll('\r\n', '\n')
    .trim()
    .replace(/^'(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/, '');
}
