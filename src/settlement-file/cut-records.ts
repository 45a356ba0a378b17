import { maximumRecordBytes } from './columns.js';

/** A record found between line endings, not yet parsed. */
export interface Cut {
  /** The physical line on which it begins. */
  readonly line: number;
  readonly start: number;
  /** Exclusive, without the line ending. */
  readonly end: number;
  readonly isQuoted: boolean;
}

/** The records of a block of bytes. */
export interface CutList {
  readonly cuts: readonly Cut[];
  /** Bytes from here on belong to an incomplete record. */
  readonly consumed: number;
  /** The line that begins at `consumed`. */
  readonly nextLine: number;
  /** A record over the limit, complete or not; it ends the list. */
  readonly tooLong?: Cut;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

/**
 * Cuts bytes into records. A record ends at the first line feed with an even number of quotes before it; this holds for
 * every record that RFC 4180 allows, and the parser, which gets the cut records, finds those that break its rules. Only
 * at the end of the file (`isEnd`) may the line ending of the last record be missing.
 */
export function cutRecords(bytes: Buffer, firstLine: number, isEnd: boolean): CutList {
  const cuts: Cut[] = [];
  let start = 0;
  let line = firstLine;
  let nextQuote = bytes.indexOf(quote);
  while (start < bytes.length) {
    let lineEnd = bytes.indexOf(lineFeed, start);
    let lines = 1;
    let isQuoted = false;
    let isOpen = false;
    for (;;) {
      const stop = lineEnd === -1 ? bytes.length : lineEnd;
      while (nextQuote !== -1 && nextQuote < stop) {
        isQuoted = true;
        isOpen = !isOpen;
        nextQuote = bytes.indexOf(quote, nextQuote + 1);
      }
      if (lineEnd === -1 || !isOpen) break;
      lineEnd = bytes.indexOf(lineFeed, lineEnd + 1);
      lines += 1;
    }
    // At the end of a block, a carriage return may be half of the line ending.
    const isHalf = lineEnd === -1 && !isEnd;
    const end = endOfRecord(bytes, start, isHalf ? bytes.length : lineEnd);
    if (end - start > maximumRecordBytes) {
      return { cuts, consumed: start, nextLine: line, tooLong: { line, start, end, isQuoted } };
    }
    if (lineEnd === -1 && !isEnd) break;
    cuts.push({ line, start, end, isQuoted });
    start = lineEnd === -1 ? bytes.length : lineEnd + 1;
    line += lines;
  }
  return { cuts, consumed: start, nextLine: line };
}

function endOfRecord(bytes: Buffer, start: number, lineEnd: number): number {
  if (lineEnd === -1) return bytes.length;
  return lineEnd > start && bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd;
}
