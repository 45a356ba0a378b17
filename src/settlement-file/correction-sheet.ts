import { columns } from './columns.js';
import { parseQuotedRecords } from './parse-quoted-records.js';

/** What `corrections.csv` (design 4.9) has after the 36 columns: where the row came from, and what is wrong with it. */
const originColumns = ['OriginalFile', 'OriginalLine', 'OriginalSha256', 'Problems'] as const;

/**
 * The header of `corrections.csv`: the 36 columns, then where the row came from and why it was rejected (design 4.9).
 */
export const correctionHeader: readonly string[] = [
  ...columns.map((column) => column.name),
  ...originColumns,
];

/**
 * The 36 cells of a rejected row as far as they can be read: those of a row with fewer cells are followed by empty
 * ones, and what a row has beyond 36 is left out.
 */
export function readableCells(rawText: string): readonly string[] {
  const cells = cellsOfText(rawText) ?? [];
  return columns.map((_, index) => cells[index] ?? '');
}

/** The cells of a stored row; undefined if its quotes cannot be read. */
export function cellsOfText(rawText: string): readonly string[] | undefined {
  if (!rawText.includes('"')) return rawText.split(';');
  const { cells } = parseQuotedRecords([{ line: 1, bytes: Buffer.from(rawText) }]);
  return cells[0];
}
