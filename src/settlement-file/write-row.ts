import { columnIndex, recordColumnCount } from './columns.js';
import type { RawRow } from './read-rows.js';

const mustBeQuoted = /[";\r\n]/;

/** One cell, quoted only where RFC 4180 requires it. */
function writeCell(cell: string): string {
  return mustBeQuoted.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Cells joined by `;`, without line ending. */
export function writeCells(cells: readonly string[]): string {
  return cells.map(writeCell).join(';');
}

/** What the program fills in; empty strings leave a cell empty. */
export interface OutcomeCells {
  /** Used only when the row has no TxRequestTime. */
  readonly txRequestTimeIfEmpty: string;
  readonly matchingStatus: string;
  readonly matchedTransactions: string;
  readonly chargebackId: string;
}

const semicolon = 0x3b;
const quote = 0x22;
const txRequestTime = columnIndex('TxRequestTime');

/**
 * A row of the reconciled file (design 6): cells 1-33 byte for byte as received, quoting included, TxRequestTime filled
 * where it was empty, columns 34-36 filled by recon. Always ends with LF. The row must have 36 cells.
 */
export function replaceOutcomeCells(row: RawRow, outcome: OutcomeCells): string {
  const { bytes, start, end } = row;
  const timeStart = cellStart(bytes, start, end, txRequestTime);
  const timeEnd = cellStart(bytes, timeStart, end, 1) - 1;
  const recordEnd = cellStart(bytes, timeEnd + 1, end, recordColumnCount - txRequestTime - 1) - 1;
  const tail = `;${outcome.matchingStatus};${outcome.matchedTransactions};${outcome.chargebackId}\n`;
  if (isFilled(bytes, timeStart, timeEnd)) return bytes.toString('utf8', start, recordEnd) + tail;
  const before = bytes.toString('utf8', start, timeStart);
  return before + outcome.txRequestTimeIfEmpty + bytes.toString('utf8', timeEnd, recordEnd) + tail;
}

/** The start of the cell that is `delimiters` cells after the one that begins at `from`. */
function cellStart(bytes: Buffer, from: number, end: number, delimiters: number): number {
  let left = delimiters;
  let isQuoted = false;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === quote) isQuoted = !isQuoted;
    else if (byte === semicolon && !isQuoted) {
      left -= 1;
      if (left === 0) return at + 1;
    }
  }
  throw new Error('a row with an outcome has 36 cells');
}

/** A cell that consists of two quotes is empty too. */
function isFilled(bytes: Buffer, from: number, to: number): boolean {
  return to > from && !(to - from === 2 && bytes[from] === quote);
}
