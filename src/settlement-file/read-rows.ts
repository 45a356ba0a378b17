import { describeInvalidByte, firstInvalidByte, utf8Mark } from '../damaged-input/encoding.js';
import { foreignContent, headBytes } from '../damaged-input/foreign-content.js';
import { ReconError } from '../errors.js';
import { checkHeader, withSeparatorOf } from './check-header.js';
import { maximumRecordBytes } from './columns.js';
import { cutRecords, type Cut, type CutList } from './cut-records.js';
import { parseQuotedCuts, tooLongFailure } from './parse-quoted-records.js';

/** A row as it is in the file. Of a block that was read, its bytes are valid until the next block is asked for. */
export interface RawRow {
  /** The physical line on which it begins; the header is line 1. */
  readonly line: number;
  /** Valid UTF-8 that holds the row from `start` to `end` (exclusive, without line ending). */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** The cells of a row with quotes; null when splitting the bytes on `;` gives the cells. */
  readonly quotedCells: readonly string[] | null;
}

/** Rows in the order of the file; valid until the next block. */
export interface RowBlock {
  readonly rows: readonly RawRow[];
  /** Where the bytes of the rows begin in the file: a row begins at its `start` after it. */
  readonly offset: number;
}

/** The cells of a row, without the quotes around them; as many as the row has, which may not be 36. */
export function cellsOf(row: RawRow): readonly string[] {
  return row.quotedCells ?? textOfRow(row).split(';');
}

/** The row as it is in the file, quotes included, without the end of its line. */
export function textOfRow(row: RawRow): string {
  return row.bytes.toString('utf8', row.start, row.end);
}

/**
 * Reads the rows below the header in constant memory, whatever the file's size. Chunk boundaries do not matter: the
 * same bytes give the same rows and the same failure. Only the grammar of rows is checked.
 * @param source may use the bytes of a chunk again once the next one is asked for
 * @throws ReconError FILE_EMPTY, FILE_ENCODING, FILE_HEADER, FILE_QUOTE or FILE_RECORD_TOO_LONG, after the rows
 * before the error were returned; the whole file is then rejected (design 4.1).
 */
export async function* readRows(source: AsyncIterable<Buffer>): AsyncGenerator<RowBlock, void, undefined> {
  const reader = new RowReader();
  for await (const chunk of source) yield* reader.take(chunk);
  yield* reader.end();
}

const nothing = Buffer.alloc(0);

/** Blank lines returned at a time, so that a file of blank lines does not fill the memory. */
const blankPortion = 4096;

/** What is carried from one chunk to the next. */
class RowReader {
  /** Holds the incomplete record and what was read since; used again for each chunk. */
  #room: Buffer = nothing;
  /** The beginning of an incomplete record, within `#room`. */
  #rest: Buffer = nothing;
  /** Where `#rest` begins in the file. */
  #offset = 0;
  #line = 1;
  #isStarted = false;
  #isHeaderRead = false;
  /** The last lines seen were blank: ignored at the end of the file, rows anywhere else. */
  #firstBlank = 0;
  #blanks = 0;

  take(chunk: Buffer): Generator<RowBlock, void, undefined> {
    return this.#read(chunk, { isEnd: false });
  }

  /** The rows that only the end of the file completes. */
  end(): Generator<RowBlock, void, undefined> {
    return this.#read(nothing, { isEnd: true });
  }

  *#read(chunk: Buffer, { isEnd }: { readonly isEnd: boolean }): Generator<RowBlock, void, undefined> {
    this.#append(chunk);
    if (!this.#isStarted && !this.#start(isEnd)) return;
    const list = cutRecords(this.#rest, this.#line, isEnd);
    const { cuts, failure } = this.#withoutFaults(this.#rest, list);
    yield* this.#toBlocks(this.#rest, cuts);
    if (failure !== undefined) throw failure;
    this.#offset += list.consumed;
    this.#line = list.nextLine;
    this.#rest = this.#rest.subarray(list.consumed);
  }

  /**
   * Moves the rest to the beginning of the room and the chunk behind it. A new buffer for each chunk would lie outside
   * of the heap until a collection: 1,000 of them in a file of 441 MB.
   */
  #append(chunk: Buffer): void {
    const length = this.#rest.length + chunk.length;
    // The rest is usually in the same buffer, so the copy may overlap; `copy` allows that.
    const room = length <= this.#room.length ? this.#room : Buffer.allocUnsafeSlow(length * 2);
    this.#rest.copy(room);
    chunk.copy(room, this.#rest.length);
    this.#room = room;
    this.#rest = room.subarray(0, length);
  }

  /** Checks the first bytes once there are enough of them; returns false until then. */
  #start(isEnd: boolean): boolean {
    // A fixed length, so that the message does not depend on chunk boundaries.
    if (this.#rest.length < headBytes && !isEnd) return false;
    const foreign = foreignContent(this.#rest.subarray(0, headBytes));
    if (foreign !== undefined) {
      const { what, advice } = foreign;
      throw new ReconError(
        'FILE_ENCODING',
        `The file is ${what}, from byte 0 on line 1; it must be UTF-8 text: ${advice}.`,
      );
    }
    if (this.#rest.subarray(0, 3).equals(utf8Mark)) {
      this.#rest = this.#rest.subarray(3);
      this.#offset = 3;
    }
    if (this.#rest.length === 0 && isEnd) throw new ReconError('FILE_EMPTY', 'The file has no content.');
    this.#isStarted = true;
    return true;
  }

  /** The records before the first one that is not UTF-8 or too long, and the error of that one. */
  #withoutFaults(bytes: Buffer, list: CutList): { cuts: readonly Cut[]; failure?: ReconError } {
    const { cuts, consumed, tooLong } = list;
    // Check a fixed length of a record over the limit: how much more of it has arrived is chance.
    const judged = tooLong === undefined ? consumed : tooLong.start + maximumRecordBytes + 1;
    const invalid = firstInvalidByte(bytes.subarray(0, judged));
    if (invalid !== -1 && (tooLong === undefined || judged - invalid > 3)) {
      const at = cuts.findIndex((cut) => cut.end > invalid);
      const record = cuts[at] ?? tooLong;
      return {
        cuts: at === -1 ? cuts : cuts.slice(0, at),
        failure: this.#encodingFailure(bytes, invalid, record),
      };
    }
    if (tooLong === undefined) return { cuts };
    const record = { line: tooLong.line, bytes: bytes.subarray(tooLong.start, tooLong.end) };
    return { cuts, failure: tooLongFailure(record) };
  }

  #encodingFailure(bytes: Buffer, invalid: number, record: Cut | undefined): ReconError {
    if (record === undefined) throw new Error('an invalid byte is in no record');
    let line = record.line;
    for (let at = record.start; at < invalid; at += 1) if (bytes[at] === 0x0a) line += 1;
    const byte = bytes[invalid] ?? 0;
    const hexadecimal = byte.toString(16).padStart(2, '0');
    return new ReconError(
      'FILE_ENCODING',
      `The file is not UTF-8: byte 0x${hexadecimal} at offset ${this.#offset + invalid}, on line ${line}; ` +
        `${describeInvalidByte(byte)}.`,
    );
  }

  /** Turns records into rows; a grammar error is thrown after the rows before it. */
  *#toBlocks(bytes: Buffer, cuts: readonly Cut[]): Generator<RowBlock, void, undefined> {
    const parsed = parseQuotedCuts(bytes, cuts);
    let rows: RawRow[] = [];
    let nextQuoted = 0;
    for (const cut of cuts) {
      const quotedCells = cut.isQuoted ? parsed.cells[nextQuoted++] : null;
      if (quotedCells === undefined) break;
      if (!this.#isHeaderRead) {
        this.#readHeader(quotedCells ?? bytes.toString('utf8', cut.start, cut.end).split(';'));
        continue;
      }
      if (cut.start === cut.end) {
        if (this.#blanks === 0) this.#firstBlank = cut.line;
        this.#blanks += 1;
        continue;
      }
      while (this.#blanks > 0) {
        rows.push(this.#blankRow());
        if (rows.length < blankPortion) continue;
        yield { rows, offset: this.#offset };
        rows = [];
      }
      rows.push({ line: cut.line, bytes, start: cut.start, end: cut.end, quotedCells });
    }
    yield { rows, offset: this.#offset };
    if (parsed.failure === undefined) return;
    const [header] = cuts;
    if (this.#isHeaderRead || header === undefined) throw parsed.failure;
    throw withSeparatorOf(bytes.toString('utf8', header.start, header.end), parsed.failure);
  }

  #readHeader(cells: readonly string[]): void {
    const failure = checkHeader(cells);
    if (failure !== undefined) throw failure;
    this.#isHeaderRead = true;
  }

  #blankRow(): RawRow {
    const line = this.#firstBlank;
    this.#firstBlank += 1;
    this.#blanks -= 1;
    return { line, bytes: nothing, start: 0, end: 0, quotedCells: null };
  }
}
