import { textOfRow, type RawRow } from '../settlement-file/read-rows.js';
import { columnIndex, columns, recordColumnCount } from '../settlement-file/columns.js';
import { fingerprintOf, fingerprintOfBytes } from '../settlement-file/fingerprint.js';
import type { RowIssue } from '../settlement-file/row-issues.js';
import { currencyNumber, OrdinaryRowScanner } from '../settlement-file/scan-ordinary-row.js';
import { validateRow } from '../settlement-file/validate-row.js';
import { writeCells } from '../settlement-file/write-row.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { parseAmount } from '../values/money.js';
import { copyCell } from './stored-columns.js';
import type { FileId } from '../values/ids.js';

/** What the totals of a file need from an accepted row. */
export interface AcceptedRow {
  readonly amountMinor: number;
  /** `currencyNumber` of its currency. */
  readonly currency: number;
  /** SettlementDate as the number yyyyMMdd. */
  readonly settlementDate: number;
}

/** A row that failed validation, as it was read to find its issues: reading a row of a megabyte again takes time. */
export interface RefusedRow {
  readonly issues: readonly RowIssue[];
  readonly cells: readonly string[];
  /** Quotes included. */
  readonly text: string;
}

/** A batch is passed on at this size: 128 to 256 KB was fastest (measured). */
const batchBytes = 192 * 1024;
/** Capacity of a batch before it must grow: the row that completes it may be long. */
const batchCapacity = batchBytes + 8 * 1024;
/** Enough for the rows of a small file. */
const firstCapacity = 16 * 1024;
/** Room for the file id, the line, the fingerprint, the occurrence and their delimiters. */
const prefixBytes = 64;
const dot = 0x2e;
const lineFeed = 0x0a;
const semicolon = 0x3b;
const quote = 0x22;

const amountColumns = columns.flatMap((column, index) => (column.type.kind === 'amount' ? [index] : []));
const freeTextColumns = columns.flatMap((column, index) =>
  column.type.kind === 'text' && column.type.free ? [index] : [],
);
const amount = columnIndex('Amount');
const currency = columnIndex('Currency');
const settlementDate = columnIndex('SettlementDate');
const lastOfRecord = recordColumnCount - 1;
const [firstAmount = 0] = amountColumns;
const lastAmount = amountColumns.at(-1) ?? 0;
const isAmount = columns.map((_, index) => amountColumns.includes(index));

/**
 * Validates rows and writes those that pass as COPY input for `settlement_records` (text, `;`): file id, line,
 * fingerprint, occurrence, then the row's own bytes, with the dots removed from the amounts. An ordinary row is never
 * converted to a string.
 */
export class RecordEncoder {
  readonly #scanner = new OrdinaryRowScanner();
  readonly #fileId: string;
  readonly #occurrenceOf: (fingerprint: string) => number;
  #batch = Buffer.allocUnsafeSlow(firstCapacity);
  /** Returned by the last `take`, and perhaps still being sent. Has no room before a second batch is begun. */
  #spare = Buffer.alloc(0);
  #length = 0;

  /** @param occurrenceOf called with the fingerprint of each record that is written, in the order of the lines */
  constructor(fileId: FileId, occurrenceOf: (fingerprint: string) => number = () => 1) {
    this.#fileId = `${fileId};`;
    this.#occurrenceOf = occurrenceOf;
  }

  /** Whether the batch is large enough to send. */
  get isFull(): boolean {
    return this.#length >= batchBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /**
   * Returns the batch written so far and begins a new one. Its bytes are valid until the second `take` after this one:
   * a new buffer for each of the 2,400 batches of a million rows would lie outside of the heap until a collection.
   */
  take(): Buffer {
    const batch = this.#batch.subarray(0, this.#length);
    [this.#batch, this.#spare] = [this.#spare, this.#batch];
    this.#length = 0;
    return batch;
  }

  /** Writes a valid row and returns what the totals need; returns what is wrong with an invalid one. */
  add(row: RawRow): AcceptedRow | RefusedRow {
    const { line } = row;
    if (row.quotedCells === null && this.#addOrdinary(line, row.bytes, row.start, row.end))
      return this.#scanner;
    const text = textOfRow(row);
    const cells = row.quotedCells ?? text.split(';');
    if (row.quotedCells !== null) {
      // Without unnecessary quotes, the row is an ordinary one.
      const canonical = Buffer.from(writeCells(cells), 'utf8');
      if (!canonical.includes(quote) && this.#addOrdinary(line, canonical, 0, canonical.length))
        return this.#scanner;
    }
    const issues = validateRow(cells);
    if (issues.length > 0) return { issues, cells, text };
    this.#writeOther(line, cells);
    return summarize(cells);
  }

  #addOrdinary(line: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#scanner.accepts(bytes, start, end)) return false;
    this.#writeOrdinary(line, bytes, start, end);
    return true;
  }

  /** Copies the row in three parts; only the part from the first to the last amount is examined. */
  #writeOrdinary(line: number, bytes: Buffer, start: number, end: number): void {
    const ends = this.#scanner.ends;
    this.#reserve(prefixBytes + end - start + 1);
    // The scanner has filled all 36 ends.
    const recordEnd = ends[lastOfRecord] as number;
    this.#writePrefix(line, fingerprintOfBytes(bytes.subarray(start, recordEnd)));
    const from = ends[firstAmount - 1] as number;
    const to = ends[lastAmount] as number;
    const batch = this.#batch;
    bytes.copy(batch, this.#length, start, from);
    let at = this.#length + from - start;
    let column = firstAmount - 1;
    for (let position = from; position < to; position += 1) {
      const byte = bytes[position] as number;
      if (byte === semicolon) column += 1;
      else if (byte === dot && isAmount[column] === true) continue;
      batch[at++] = byte;
    }
    bytes.copy(batch, at, to, end);
    at += end - to;
    batch[at++] = lineFeed;
    this.#length = at;
  }

  #writeOther(line: number, cells: readonly string[]): void {
    const stored = [...cells];
    for (const index of amountColumns) stored[index] = (cells[index] ?? '').replace('.', '');
    for (const index of freeTextColumns) stored[index] = maskCardNumbers(cells[index] ?? '');
    const text = stored.map(copyCell).join(';');
    this.#reserve(prefixBytes + 3 * text.length + 1);
    this.#writePrefix(line, fingerprintOf(cells));
    this.#length += this.#batch.write(text, this.#length, 'utf8');
    this.#batch[this.#length++] = lineFeed;
  }

  #writePrefix(line: number, fingerprint: string): void {
    const prefix = `${this.#fileId}${line};${fingerprint};${this.#occurrenceOf(fingerprint)};`;
    this.#length += this.#batch.write(prefix, this.#length, 'latin1');
  }

  /** Grows the batch when a row would not fit: at once to the capacity of a batch, or beyond it for a long row. */
  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#batch.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(batchCapacity, this.#length + bytes));
    this.#batch.copy(larger, 0, 0, this.#length);
    this.#batch = larger;
  }
}

function summarize(cells: readonly string[]): AcceptedRow {
  const code = cells[currency] ?? '';
  return {
    // N13 has twelve digits at most: exact as a number.
    amountMinor: Number(parseAmount(cells[amount] ?? '')),
    currency: currencyNumber(code.charCodeAt(0), code.charCodeAt(1), code.charCodeAt(2)),
    settlementDate: Number((cells[settlementDate] ?? '').replaceAll('-', '')),
  };
}
