import { CsvError, parse } from 'csv-parse';
import { describeInvalidByte, firstInvalidByte, incompleteBytes } from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';

/** The cells of one line and the number of its first physical line. */
export interface SplitLine {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The file cannot be split into lines from here on. */
export class UnreadableLine extends Error {
  readonly line: number;
  /** The text of the first line of the file, if it is the one with a wrong quote. */
  readonly header: string;

  constructor(line: number, message: string, header = '') {
    super(message);
    this.line = line;
    this.header = header;
  }
}

const longestLine = 65_536;

/**
 * Splits `;`-separated UTF-8 text (a BOM is skipped; LF or CRLF; RFC 4180 quotes) into cells, in batches. Empty lines
 * are skipped. A file without a quote character is split directly, which gives the same result and is several times
 * faster; from the first quote on, csv-parse splits it. A line is split only when it is requested: the cells of a whole
 * batch would survive a garbage collection, which cost a third of the time of reading.
 *
 * @throws UnreadableLine when it is not a CSV file at all, the bytes are not UTF-8, a quote is wrong or a line is
 *   longer than 64 KiB
 */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<IterableIterator<SplitLine>, void> {
  const pieces = decode(source);
  let rest = '';
  let line = 0;
  for await (const piece of pieces) {
    const text = rest + piece;
    if (piece.includes('"')) {
      yield* splitQuoted(joined(text, pieces), line, line === 0 ? firstLine(text) : '');
      return;
    }
    const lines = text.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new UnreadableLine(line + lines.length + 1, tooLong);
    yield splitPlain(lines, line);
    line += lines.length;
  }
  yield splitPlain([rest], line);
}

const tooLong = `is longer than ${longestLine} characters`;

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line;
}

function* splitPlain(lines: readonly string[], linesBefore: number): Generator<SplitLine, void> {
  let line = linesBefore;
  for (const text of lines) {
    line += 1;
    const content = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (content.length > longestLine) throw new UnreadableLine(line, tooLong);
    if (content !== '') yield { cells: content.split(';'), line };
  }
}

async function* decode(source: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  /** The bytes of a character that continues in the next chunk. */
  let open: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of source) {
    if (isFirst) refuseForeign(chunk);
    isFirst = false;
    const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
    open = bytes.subarray(bytes.length - incompleteBytes(bytes));
    const whole = bytes.subarray(0, bytes.length - open.length);
    const invalid = firstInvalidByte(whole);
    if (invalid !== -1) {
      const lineStart = whole.lastIndexOf(lineFeed, invalid) + 1;
      // The lines before it are checked, so that their issues are named too.
      yield decoder.decode(whole.subarray(0, lineStart), { stream: true });
      throw notUtf8(line + countLines(whole.subarray(0, lineStart)), whole[invalid] ?? 0);
    }
    yield decoder.decode(whole, { stream: true });
    line += countLines(whole);
  }
  if (open.length > 0) throw notUtf8(line, open[0] ?? 0);
}

const lineFeed = 0x0a;

function refuseForeign(first: Buffer): void {
  const foreign = foreignContent(first.subarray(0, headBytes));
  if (foreign === undefined) return;
  throw new UnreadableLine(1, `the file is ${foreign.what}, not a CSV file: ${foreign.advice}`);
}

function notUtf8(line: number, byte: number): UnreadableLine {
  const hexadecimal = byte.toString(16).padStart(2, '0');
  return new UnreadableLine(
    line,
    `holds a byte that is not UTF-8, 0x${hexadecimal}; ${describeInvalidByte(byte)}`,
  );
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) lines += 1;
  return lines;
}

async function* joined(first: string, others: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield first;
  yield* others;
}

/** The chunks are passed to the parser one by one, so that the lines before a broken one are not lost. */
async function* splitQuoted(
  texts: AsyncIterable<string>,
  linesBefore: number,
  header: string,
): AsyncGenerator<IterableIterator<SplitLine>, void> {
  let batch: SplitLine[] = [];
  let line = linesBefore + 1;
  const parser = parse({
    delimiter: ';',
    record_delimiter: ['\r\n', '\n'],
    // The number of columns is checked for each line, to report the line's number.
    relax_column_count: true,
    max_record_size: longestLine,
    on_record: (cells: string[], { lines }) => {
      if (cells.length > 1 || cells[0] !== '') batch.push({ cells, line });
      line = linesBefore + lines + 1;
      return null;
    },
  });
  parser.on('error', () => undefined);
  parser.resume();
  try {
    for await (const text of texts) {
      await feed((done) => parser.write(text, done));
      yield batch.values();
      batch = [];
    }
    await feed((done) => {
      parser.once('error', done);
      parser.end(done);
    });
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    yield batch.values();
    const long = thrown.code === 'CSV_MAX_RECORD_SIZE';
    if (long) throw new UnreadableLine(line, tooLong);
    const message = 'opens a quote that is not closed, or has one inside an unquoted cell';
    throw new UnreadableLine(line, message, line === 1 ? header : '');
  }
  yield batch.values();
}

function feed(step: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    step((error) => (error ? reject(error) : resolve()));
  });
}
