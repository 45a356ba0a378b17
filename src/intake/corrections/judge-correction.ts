import type { CellMeaning } from '../../damaged-input/cell-damage.js';
import { isSameCell, isSameText } from '../../damaged-input/same-value.js';
import { columns } from '../../settlement-file/columns.js';
import { isValidCell, meaningOf, validateRow } from '../../settlement-file/validate-row.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/** A row of `corrections.csv` that was given back, beside what is stored about it. */
export interface GivenRow {
  /** The 36 cells as they were given back. */
  readonly cells: readonly string[];
  /** Whether the person emptied the cell Problems, to say that the cells are right as they are. */
  readonly isConfirmed: boolean;
  /** The 36 cells as they were given out. */
  readonly original: readonly string[];
  /** The correction that is stored already. */
  readonly corrected: readonly string[] | null;
}

/** What a row of the sheet does. */
export type Judgement =
  | { readonly kind: 'unchanged' }
  /** The same correction is stored already. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  /** The cells to store: card numbers in free texts are masked. */
  | { readonly kind: 'valid'; readonly cells: readonly string[] };

/**
 * Judges a row of a sheet that was given back (design 4.9). Cells that only a spreadsheet changed are taken as they
 * were given out. A row that nobody changed decides nothing, unless its cell Problems was emptied. Pure.
 */
export function judgeCorrection({ cells, isConfirmed, original, corrected }: GivenRow): Judgement {
  const given = restored(cells, original);
  const isChanged = given.some((cell, index) => cell !== original[index]);
  if (corrected !== null) {
    const masked = storedCells(restored(cells, corrected));
    if (masked.every((cell, index) => cell === corrected[index])) return { kind: 'stored' };
    return isChanged || isConfirmed ? { kind: 'conflict' } : { kind: 'unchanged' };
  }
  if (!isChanged && !isConfirmed) return { kind: 'unchanged' };
  const right = withoutWrongBlanks(given);
  const problems = [...validateRow(right).map(problemOf), ...maskedReferences(right)];
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'valid', cells: storedCells(right) };
}

/**
 * Cells that are wrong lose the blanks around them. Reading a sheet removes blanks, so it does not show whether the
 * person did, and a row that was rejected for a blank could never be corrected.
 */
function withoutWrongBlanks(cells: readonly string[]): readonly string[] {
  const wrong = new Set<string>(validateRow(cells).map(({ column }) => column));
  return columns.map(({ name }, index) => {
    const cell = cells[index] ?? '';
    return wrong.has(name) ? cell.trim() : cell;
  });
}

/** The cells, without what a spreadsheet did to those that nobody changed. */
function restored(cells: readonly string[], original: readonly string[]): readonly string[] {
  return columns.map((column, index) => {
    const cell = cells[index] ?? '';
    const before = original[index] ?? '';
    const isSame =
      isSameCell(meaningOf(column), cell, before) ||
      (isText(meaningOf(column)) && isSameText(cell, before) && !isCorrected(index, cell, before));
    return isSame ? before : cell;
  });
}

const isText = (meaning: CellMeaning) => meaning === 'reference' || meaning === 'other';

/** Zeros that a person removed from a text that was too long look like those that a spreadsheet removes. */
const isCorrected = (index: number, cell: string, before: string) =>
  !isValidCell(index, before) && isValidCell(index, cell);

function problemOf({ column, message, value }: ReturnType<typeof validateRow>[number]): string {
  return value === '' ? message : `${message} The cell has "${value}".${adviceFor(column, value)}`;
}

/** A person who types 12.50 or 2026-11-19 into a spreadsheet may give back 12.5 or 19.11.2026. */
function adviceFor(name: string, value: string): string {
  const column = columns.find((each) => each.name === name);
  const meaning = column === undefined ? 'other' : meaningOf(column);
  const isReformatted = ['amount', 'date', 'timestamp'].includes(meaning) && /^\d+[\d.,:/ -]*$/.test(value);
  return isReformatted ? ' If the spreadsheet changes what you write, format the cell as text first.' : '';
}

/** A card number is masked in the sheet; where a reference looks like one, its digits are only in the file. */
function maskedReferences(cells: readonly string[]): string[] {
  return columns.flatMap(({ name, type }, index) =>
    type.kind === 'text' && !type.free && /\d{6}\*{3,9}\d{4}/.test(cells[index] ?? '')
      ? [`${name} was masked, because it looks like a card number: write it as it is in the file.`]
      : [],
  );
}

function storedCells(cells: readonly string[]): readonly string[] {
  return columns.map(({ type }, index) => {
    const cell = cells[index] ?? '';
    return type.kind === 'text' && type.free ? maskCardNumbers(cell) : cell;
  });
}
