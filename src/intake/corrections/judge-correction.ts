import type { CellMeaning } from '../../damaged-input/cell-damage.js';
import { isSameCell, isSameText } from '../../damaged-input/same-value.js';
import { isSameWriting } from '../../damaged-input/same-writing.js';
import { columns } from '../../settlement-file/columns.js';
import { isValidCell, meaningOf, validateRow } from '../../settlement-file/validate-row.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';

/** A row of `corrections.csv` that was given back, beside what is stored about it. */
export interface GivenRow {
  /** The 36 cells as they were given back. */
  readonly cells: readonly string[];
  /** Those of them that a workbook holds as numbers or days. */
  readonly converted?: readonly boolean[];
  /** Whether the person emptied the cell Problems, to say that the cells are right as they are. */
  readonly isConfirmed: boolean;
  /** The 36 cells as they were given out. */
  readonly original: readonly string[];
  /** The correction that is stored already. */
  readonly corrected: readonly string[] | null;
}

/** A wrong cell that came back in another notation, such as `1E+05`. */
export interface RenotedCell {
  readonly name: string;
  /** Its column allows it as it is now. */
  readonly isRight: boolean;
}

/** What a row of the sheet does. */
export type CorrectionJudgement =
  | {
      readonly kind: 'unchanged';
      /** Wrong cells that came back in another notation: the spreadsheet's, or a correction after all. */
      readonly renoted: readonly RenotedCell[];
    }
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
export function judgeCorrection(row: GivenRow): CorrectionJudgement {
  const { cells, isConfirmed, original, corrected } = row;
  const given = restored(row, original);
  const renoted = columns.flatMap(({ name }, index) => {
    const cell = cells[index] ?? '';
    const isTaken = given[index] !== original[index] || !isRenoted(index, cell, original);
    return isTaken ? [] : [{ name, isRight: isValidCell(index, cell) }];
  });
  const isChanged = given.some((cell, index) => cell !== original[index]);
  if (corrected !== null) {
    const masked = storedCells(restored(row, corrected));
    if (masked.every((cell, index) => cell === corrected[index])) return { kind: 'stored' };
    return isChanged || isConfirmed ? { kind: 'conflict' } : { kind: 'unchanged', renoted };
  }
  if (!isChanged && !isConfirmed) return { kind: 'unchanged', renoted };
  const right = withoutWrongBlanks(given);
  const doubtful = new Set(renoted.flatMap(({ name, isRight }) => (isRight ? [name] : [])));
  const problems = [
    ...validateRow(right).map((issue) =>
      problemOf(issue, doubtful.has(issue.column) ? ` ${confirmAdvice}` : adviceFor(issue)),
    ),
    ...maskedReferences(right),
  ];
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'valid', cells: storedCells(right) };
}

/** A workbook holds a day as a day, whoever wrote it. */
export const confirmAdvice =
  'The spreadsheet shows it otherwise: if that is right, empty the cell Problems of the row.';

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
function restored(
  { cells, converted = [], isConfirmed }: GivenRow,
  original: readonly string[],
): readonly string[] {
  return columns.map((column, index) => {
    const cell = cells[index] ?? '';
    const before = original[index] ?? '';
    const isSame =
      isSameCell(meaningOf(column), cell, before) ||
      (isText(meaningOf(column)) && isSameText(cell, before) && isValidCell(index, before)) ||
      (isRenoted(index, cell, original) &&
        (!isValidCell(index, cell) || (converted[index] === true && !isConfirmed)));
    return isSame ? before : cell;
  });
}

/**
 * Whether the cell is one that was wrong, in another notation. If it is still wrong, the spreadsheet changed it. If it
 * is right now, a text was written by the person; a number or a day in a workbook may be either, and counts once the
 * person says so.
 */
function isRenoted(index: number, cell: string, original: readonly string[]): boolean {
  const [column, before = ''] = [columns[index], original[index]];
  if (column === undefined || cell === before || isValidCell(index, before)) return false;
  return isSameWriting(meaningOf(column), cell, before);
}

const isText = (meaning: CellMeaning) => meaning === 'reference' || meaning === 'other';

type Issue = ReturnType<typeof validateRow>[number];

function problemOf({ message, value }: Issue, advice: string): string {
  return value === '' ? message : `${message} The cell has "${value}".${advice}`;
}

/** A person who types 12.50 or 2026-11-19 into a spreadsheet may give back 12.5 or 19.11.2026. */
function adviceFor({ column: name, value }: Issue): string {
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
