import { parse, CsvError } from 'csv-parse/sync';
import { ReconError } from '../errors.js';
import { maximumRecordBytes } from './columns.js';
import type { Cut } from './cut-records.js';

/** A record cut out of the file: the line on which it begins (1-based) and its bytes without line ending. */
export interface CutRecord {
  readonly line: number;
  readonly bytes: Buffer;
}

/**
 * The grammar (RFC 4180), strict: a quote inside an unquoted cell or text after a closing quote is an error
 * and is never guessed. A lone carriage return is part of its cell.
 */
function parseStrictly(bytes: Buffer): string[][] {
  return parse(bytes, {
    delimiter: ';',
    record_delimiter: ['\r\n', '\n'],
    max_record_size: maximumRecordBytes,
  });
}

/** With only a line feed, a lone carriage return at the end of a record would become part of the line ending. */
const lineEnding = Buffer.from('\r\n');

/**
 * A record of one line whose quotes only wrap whole cells that need none, as written by senders that quote everything.
 * Removing the quotes is then enough and takes a fifth of csv-parse's time.
 */
const needlesslyQuoted = /^(?:"[^";\r\n]*"|[^";\r\n]*)(?:;(?:"[^";\r\n]*"|[^";\r\n]*))*$/;

function unwrap(bytes: Buffer): string[] | undefined {
  const text = bytes.toString('utf8');
  return needlesslyQuoted.test(text) ? text.replaceAll('"', '').split(';') : undefined;
}

/**
 * The cells of records that contain quotes.
 * @returns the cells, and the failure of the first record that breaks the grammar, which ends the list.
 */
export function parseQuotedRecords(records: readonly CutRecord[]): {
  cells: string[][];
  failure?: ReconError;
} {
  const unwrapped = records.map((record) => unwrap(record.bytes));
  const intricate = records.filter((_, index) => unwrapped[index] === undefined);
  if (intricate.length === 0) return { cells: unwrapped.filter((cells) => cells !== undefined) };
  const parsed = parseIntricate(intricate);
  const cells: string[][] = [];
  let next = 0;
  for (const simple of unwrapped) {
    const found = simple ?? parsed.cells[next++];
    if (found === undefined) break;
    cells.push(found);
  }
  return { ...parsed, cells };
}

/** Parses the records of a buffer that contain quotes, as {@link parseQuotedRecords} does. */
export function parseQuotedCuts(bytes: Buffer, cuts: readonly Cut[]): ReturnType<typeof parseQuotedRecords> {
  return parseQuotedRecords(
    cuts
      .filter((cut) => cut.isQuoted)
      .map(({ line, start, end }) => ({ line, bytes: bytes.subarray(start, end) })),
  );
}

/**
 * Records go to csv-parse together, since a call costs more than a record. It refuses rows of unequal width;
 * they are valid here, so the records then go one by one.
 */
function parseIntricate(records: readonly CutRecord[]): { cells: string[][]; failure?: ReconError } {
  try {
    const together = parseStrictly(Buffer.concat(records.flatMap((record) => [record.bytes, lineEnding])));
    if (together.length === records.length) return { cells: together };
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
  }
  const cells: string[][] = [];
  for (const record of records) {
    try {
      const [only, ...rest] = parseStrictly(record.bytes);
      if (only === undefined || rest.length > 0) throw new Error('a record was cut at the wrong place');
      cells.push(only);
    } catch (thrown) {
      if (!(thrown instanceof CsvError)) throw thrown;
      return { cells, failure: quoteFailure(record.line, thrown) };
    }
  }
  return { cells };
}

/** The error of a record over the limit, found from its first bytes: a misplaced quote, or only its length. */
export function tooLongFailure(record: CutRecord): ReconError {
  const head = record.bytes.subarray(0, maximumRecordBytes + 1);
  try {
    parseStrictly(head);
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    if (isStray(thrown)) return quoteFailure(record.line, thrown);
    // Whether it is closed further on is not known: nothing after the limit is read.
    if (isUnclosed(thrown) && head.includes(0x0a))
      return new ReconError(
        'FILE_QUOTE',
        `In the record that begins on line ${record.line}, a quote is opened and not closed within 1 MiB.`,
      );
  }
  return new ReconError(
    'FILE_RECORD_TOO_LONG',
    `The record that begins on line ${record.line} is longer than ${maximumRecordBytes} bytes (1 MiB).`,
  );
}

/** csv-parse names an opening quote in the wrong place without its usual prefix; its types do not declare it. */
function isStray(error: CsvError): boolean {
  const code: string = error.code;
  return code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'INVALID_OPENING_QUOTE';
}

/** csv-parse reaches its own size limit first when the quote is still open there. */
function isUnclosed(error: CsvError): boolean {
  return error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE';
}

function quoteFailure(line: number, error: CsvError): ReconError {
  const what = isUnclosed(error)
    ? 'a quote is opened and never closed'
    : 'a quote is in the wrong place: inside a cell that is not quoted, or before text that follows a closing quote';
  return new ReconError('FILE_QUOTE', `In the record that begins on line ${line}, ${what}.`);
}
