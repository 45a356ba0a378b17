import { disagreement } from '../../differing-sums.js';
import type { ReconError } from '../../errors.js';
import { columnIndex, columns, recordColumnCount } from '../../settlement-file/columns.js';
import type { RawRow } from '../../settlement-file/read-rows.js';
import { replaceOutcomeCells } from '../../settlement-file/write-row.js';
import type { FileTotals } from '../totals/file-totals.js';
import { CurrencySums } from './currency-sums.js';
import { nothingPublished } from '../folder/report-file.js';
import type { RowResult } from './row-result.js';

const uniqueId = columnIndex('UniqueID');
const amount = columnIndex('Amount');
const currency = columnIndex('Currency');
const txRequestTime = columnIndex('TxRequestTime');
const settlementAmount = columnIndex('SettlementAmount');
const settlementCurrency = columnIndex('SettlementCurrency');

/** Enough for a small file. The buffer grows with the pieces of a larger one. */
const firstBytes = 16 * 1024;

const semicolon = 0x3b;
const dot = 0x2e;
const zero = 0x30;

/** More than a block of rows becomes without candidates. */
const fullBytes = 1024 * 1024;

/**
 * Joins rows and results to rows of the reconciled file. It adds up the amounts from the bytes that it writes, so
 * that they can be compared with what is stored.
 *
 * Nearly all rows have no quotes and are copied byte for byte. The others use `replaceOutcomeCells`, which gives the
 * same result for any row (a test compares the two) at several times the cost.
 */
export class RowZipper {
  readonly #receivedAt: string;
  readonly #receivedAtBytes: Buffer;
  readonly #amounts = new CurrencySums();
  readonly #settlementAmounts = new CurrencySums();
  /** Where each of the first 33 cells of a row ends. */
  readonly #ends = new Int32Array(recordColumnCount);
  #rows = 0;
  #lines = 0;
  #output: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  /** Returned by the last `take`, and perhaps still being written. Has no room before it is used again. */
  #spare: Buffer = Buffer.alloc(0);
  #length = 0;

  /** @param receivedAt what an empty TxRequestTime is filled with */
  constructor(receivedAt: string) {
    this.#receivedAt = receivedAt;
    this.#receivedAtBytes = Buffer.from(receivedAt);
  }

  /** Rows, lines and amounts so far. */
  totals(): FileTotals {
    return {
      rows: this.#rows,
      lines: this.#lines,
      amounts: this.#amounts.totals(),
      settlementAmounts: this.#settlementAmounts.totals(),
    };
  }

  /** Whether what was added is enough to be written. */
  get isFull(): boolean {
    return this.#length >= fullBytes;
  }

  add(row: RawRow, result: RowResult): void {
    this.#rows += 1;
    this.#lines += row.line;
    if (row.quotedCells === null) this.#addPlain(row, result);
    else this.#addQuoted(row, row.quotedCells, result);
  }

  /** What was added since the last call. Its bytes are valid until the second `take` after this one. */
  take(): Buffer {
    const taken = this.#output.subarray(0, this.#length);
    [this.#output, this.#spare] = [this.#spare, this.#output];
    this.#length = 0;
    return taken;
  }

  #addPlain({ bytes, start, end }: RawRow, result: RowResult): void {
    this.#locate(bytes, start, end);
    // The indexes below are those of columns, and #locate has found the end of each.
    const ends = this.#ends;
    const recordEnd = ends[recordColumnCount - 1] as number;
    this.#reserve(recordEnd - start + result.head.length + result.tail.length + 64);
    const timeEnd = ends[txRequestTime] as number;
    if ((ends[txRequestTime - 1] as number) + 1 === timeEnd) {
      this.#copy(bytes, start, timeEnd);
      this.#copy(this.#receivedAtBytes, 0, this.#receivedAtBytes.length);
      this.#copy(bytes, timeEnd, recordEnd);
    } else this.#copy(bytes, start, recordEnd);
    this.#copy(result.head, 0, result.head.length);
    if (result.isOwnUniqueId) this.#copy(bytes, (ends[uniqueId - 1] as number) + 1, ends[uniqueId] as number);
    this.#copy(result.tail, 0, result.tail.length);
    addCells(this.#amounts, bytes, ends, amount, currency);
    addCells(this.#settlementAmounts, bytes, ends, settlementAmount, settlementCurrency);
  }

  #locate(bytes: Buffer, start: number, end: number): void {
    const ends = this.#ends;
    let found = 0;
    for (let at = start; at < end; at += 1) {
      if (bytes[at] !== semicolon) continue;
      ends[found] = at;
      found += 1;
      if (found === recordColumnCount) return;
    }
    throw notARecord();
  }

  #addQuoted(row: RawRow, cells: readonly string[], result: RowResult): void {
    if (cells.length !== columns.length) throw notARecord();
    const cell = (index: number) => cells[index] ?? '';
    const text = Buffer.from(
      replaceOutcomeCells(row, {
        txRequestTimeIfEmpty: this.#receivedAt,
        matchingStatus: result.matchingStatus,
        matchedTransactions: result.isOwnUniqueId ? cell(uniqueId) : result.matchedTransactions,
        chargebackId: result.chargebackId,
      }),
    );
    this.#reserve(text.length);
    this.#copy(text, 0, text.length);
    for (const [sums, money, code] of [
      [this.#amounts, amount, currency],
      [this.#settlementAmounts, settlementAmount, settlementCurrency],
    ] as const) {
      const bytes = Buffer.from(`${cell(money)}${cell(code)}`, 'latin1');
      addAmount(sums, bytes, 0, cell(money).length, cell(money).length);
    }
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#output.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#output.length * 2, firstBytes));
    this.#output.copy(larger, 0, 0, this.#length);
    this.#output = larger;
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    this.#length += bytes.copy(this.#output, this.#length, start, end);
  }
}

/** Adds the amount and currency of two columns of a row. */
function addCells(sums: CurrencySums, bytes: Buffer, ends: Int32Array, money: number, code: number): void {
  const from = (ends[money - 1] as number) + 1;
  addAmount(sums, bytes, from, ends[money] as number, (ends[code - 1] as number) + 1);
}

/** Adds the N13 amount at `from` to `to` in the currency whose three letters begin at `code`. */
function addAmount(sums: CurrencySums, bytes: Buffer, from: number, to: number, code: number): void {
  let minor = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte !== dot) minor = minor * 10 + (byte - zero);
  }
  if (!Number.isSafeInteger(minor)) throw notARecord();
  sums.add(bytes[code] as number, bytes[code + 1] as number, bytes[code + 2] as number, minor);
}

function notARecord(): ReconError {
  return disagreement(
    'the archived file no longer contains a row that is stored as a record',
    nothingPublished,
  );
}
