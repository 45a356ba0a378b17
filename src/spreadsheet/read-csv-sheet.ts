import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { rowsToHeader, type FilledInRows } from './filled-in-table.js';
import { invalid } from './sheet-problems.js';
import { Utf8Check } from './sheet-text.js';

/** Spreadsheets save with the separator of their country. */
const separators = [';', ',', '\t', '|'];

/**
 * Reads a sheet in CSV, whatever its separator, piece by piece: a sheet of 600,000 items has hundreds of megabytes.
 *
 * @param head the beginning of the text, with the lines among which the header is
 * @param rest the pieces after it; each is valid until the next one is asked for
 * @throws ReconError SHEET_INVALID
 */
export async function readCsvSheet(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  name: string,
  table: FilledInRows,
): Promise<void> {
  const rows = table.beginSheet(null);
  let line = 1;
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(head, table.shape.marks),
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
  // It returns no record, but it ends only if somebody reads.
  parser.resume();
  try {
    await pipeline(checkedPieces(head, rest, name), parser);
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    throw invalid(name, [`line ${line}: ${quoteProblem(thrown)}.`]);
  }
  if (table.headers.length === 0) {
    throw invalid(name, [
      `none of its first ${rowsToHeader} lines has the column ${table.shape.marks.join(' or ')}; the names of the columns must be as they were given out.`,
    ]);
  }
}

/** What is wrong in the record at which the parser stopped. */
function quoteProblem({ code }: CsvError): string {
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quote is opened and never closed'
    : 'a quote is in the wrong place: inside a cell that is not quoted, or before text that follows a closing quote';
}

async function* checkedPieces(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  const check = new Utf8Check(name);
  check.add(head);
  yield head;
  for await (const piece of rest) {
    check.add(piece);
    // The parser keeps what it was given until it has read on.
    yield Buffer.from(piece);
  }
  check.end();
}

function delimiterOf(head: Buffer, marks: readonly string[]): string {
  const isMark = (cell: string) => marks.includes(cell.trim().replace(/^"(.*)"$/, '$1'));
  for (const line of firstLines(head).split(/\r?\n/)) {
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
