import { createHash, type Hash } from 'node:crypto';
import path from 'node:path';
import { causeOf, isDenied, isMissing, onDisk, systemCodeOf } from '../disk/disk-errors.js';
import { readPieces } from '../disk/read-pieces.js';
import { ReconError } from '../errors.js';
import { isWorkbook, isZip } from './archive-limits.js';
import { FilledInRows, type FilledInTable, type TableShape } from './filled-in-table.js';
import { readCsvSheet } from './read-csv-sheet.js';
import { readWorkbook } from './read-workbook.js';
import { invalid } from './sheet-problems.js';
import { wideEncodingOf, wideText } from './sheet-text.js';

const pieceBytes = 256 * 1024;

/** Holds the lines above the header, and shows what kind of file it is. */
const longestHead = 1024 * 1024;

/** A sheet is read from its beginning to its end, and never held as a whole if it is CSV in UTF-8. */
type Pieces = AsyncGenerator<Buffer, void, undefined>;

/**
 * Reads a sheet that a person edited and saved: as CSV, whatever the separator, or as a workbook (XLSX), of which all
 * sheets with the columns are read. Titles and empty lines above the header are passed over.
 *
 * @throws ReconError SHEET_INVALID, FILE_UNREADABLE, DISK_FAILED
 */
export async function readTable(file: string, shape: TableShape): Promise<FilledInTable> {
  const name = path.basename(file);
  const table = new FilledInRows(shape, name);
  const hash = createHash('sha256');
  const pieces = hashed(readPieces(file, pieceBytes), hash);
  try {
    await onDisk(`read the sheet ${name}`, async () => {
      await readInto(table, await readHead(file, pieces), pieces, name);
    });
  } finally {
    await pieces.return();
  }
  const { header, headers, rows } = table;
  return { name, sha256: hash.digest('hex'), header, headers, rows };
}

async function* hashed(pieces: Pieces, hash: Hash): Pieces {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** A wrong path is a mistake in the command, not a failure of the disk, which would be exit code 6. */
async function readHead(file: string, pieces: Pieces): Promise<Buffer> {
  try {
    return await joined(Buffer.alloc(0), pieces, longestHead);
  } catch (thrown) {
    const why = isMissing(thrown) ? 'does not exist' : isFolder(thrown) ? 'is a folder' : unreadable(thrown);
    if (why === null) throw thrown;
    throw new ReconError('FILE_UNREADABLE', `The sheet ${file} ${why}. Nothing was stored.`, {
      cause: thrown,
    });
  }
}

const unreadable = (thrown: unknown) => (isDenied(thrown) ? `cannot be read: ${causeOf(thrown)}` : null);

const isFolder = (thrown: unknown): boolean => systemCodeOf(thrown) === 'EISDIR';

/** The bytes and those of the next pieces, until there are so many. */
async function joined(first: Buffer, pieces: Pieces, bytes = Infinity): Promise<Buffer> {
  const parts = [first];
  let length = first.length;
  while (length < bytes) {
    const next = await pieces.next();
    if (next.done === true) break;
    // It is valid until the next one.
    parts.push(Buffer.from(next.value));
    length += next.value.length;
  }
  return Buffer.concat(parts);
}

async function readInto(table: FilledInRows, head: Buffer, pieces: Pieces, name: string): Promise<void> {
  // Whether an archive is a workbook is known at its end.
  const start = isZip(head) ? await joined(head, pieces) : head;
  if (isWorkbook(start)) return readSheets(start, name, table);
  const encoding = wideEncodingOf(start, name);
  if (encoding === null) return readCsvSheet(start, pieces, name, table);
  return readCsvSheet(wideText(await joined(start, pieces), encoding, name), pieces, name, table);
}

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
