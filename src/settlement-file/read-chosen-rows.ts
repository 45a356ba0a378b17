import { recordColumnCount } from './columns.js';
import { cutRecords } from './cut-records.js';
import { fingerprintOf, fingerprintOfBytes } from './fingerprint.js';
import { parseQuotedCuts } from './parse-quoted-records.js';
import { cellsOf, type RawRow } from './read-rows.js';

const semicolon = 0x3b;

/**
 * The rows of some lines from a piece of a file that begins and ends with a row. Only these are parsed; a line on which
 * no row begins is left out.
 *
 * @param firstLine the line on which the piece begins
 * @param lines ascending
 * @throws ReconError FILE_QUOTE
 */
export function readChosenRows(bytes: Buffer, firstLine: number, lines: readonly number[]): RawRow[] {
  const chosen = new Set(lines);
  const cuts = cutRecords(bytes, firstLine, true).cuts.filter((cut) => chosen.has(cut.line));
  const parsed = parseQuotedCuts(bytes, cuts);
  if (parsed.failure !== undefined) throw parsed.failure;
  let nextQuoted = 0;
  return cuts.map(({ line, start, end, isQuoted }) => ({
    line,
    bytes,
    start,
    end,
    quotedCells: isQuoted ? (parsed.cells[nextQuoted++] ?? null) : null,
  }));
}

/** Whether a row is the record with this fingerprint: then its first 33 cells are those that were loaded. */
export function isRowOf(row: RawRow, fingerprint: string): boolean {
  const { bytes, start, end } = row;
  if (row.quotedCells === null) {
    const recordEnd = endOfRecordCells(bytes, start, end);
    if (fingerprintOfBytes(bytes.subarray(start, recordEnd)) === fingerprint) return true;
  }
  // The canonical form of a row with a lone carriage return differs from its bytes.
  return fingerprintOf(cellsOf(row)) === fingerprint;
}

function endOfRecordCells(bytes: Buffer, start: number, end: number): number {
  let cells = 0;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== semicolon) continue;
    cells += 1;
    if (cells === recordColumnCount) return at;
  }
  return end;
}
