import { shortenedNumber, spreadsheetError } from '../../damaged-input/cell-damage.js';
import { columns } from '../../settlement-file/columns.js';
import { correctionHeader } from '../../settlement-file/correction-sheet.js';
import { meaningOf } from '../../settlement-file/validate-row.js';
import {
  placeOf,
  type FilledInTable,
  type TablePlace,
  type TableRow,
} from '../../spreadsheet/filled-in-table.js';
import { plainText } from '../../spreadsheet/read-table.js';
import { invalid, missingColumns } from '../../spreadsheet/sheet-problems.js';

/** A row of a `corrections.csv` that was given back. */
export interface CorrectionRow extends TablePlace {
  readonly file: string;
  readonly originalLine: number;
  readonly sha256: string;
  /** The 36 cells. */
  readonly cells: readonly string[];
  /** The cells that a workbook holds as numbers or days. */
  readonly converted: readonly boolean[];
  /** The cell Problems is empty. */
  readonly isConfirmed: boolean;
}

/** The column by which a sheet of corrections is recognised. */
export const correctionMark = 'OriginalSha256';

/**
 * Checks that a sheet of corrections has all columns, and that each row names its place in a file.
 *
 * @throws ReconError SHEET_INVALID with every row whose place was changed
 */
export function checkCorrectionSheet({ name, header, headers, rows }: FilledInTable): void {
  const missing = headers.flatMap((each) => {
    const names = correctionHeader.filter((column) => !each.columns.includes(column));
    return missingColumns(placeOf(each), names, 'corrections.csv') ?? [];
  });
  if (missing.length > 0) throw invalid(name, missing);
  const [lineAt, sha256At] = [header.indexOf('OriginalLine'), header.indexOf('OriginalSha256')];
  const problems = rows.flatMap((row) =>
    isEmpty(row) ? [] : problemsOfPlace(placeOf(row), cellAt(row, lineAt), cellAt(row, sha256At)),
  );
  if (problems.length > 0) throw invalid(name, problems);
}

/** The rows of a part of a sheet that was checked; rows without any cell are left out. */
export function readCorrectionRows(
  { header }: Pick<FilledInTable, 'header'>,
  rows: readonly TableRow[],
): CorrectionRow[] {
  const places = new Map(header.map((column, index) => [column, index]));
  const at = (column: string) => places.get(column) ?? -1;
  return rows.flatMap((given): CorrectionRow[] => {
    if (isEmpty(given)) return [];
    const cell = (column: string) => cellAt(given, at(column));
    const converted = columns.map((column) => given.converted?.[at(column.name)] ?? false);
    return [
      {
        line: given.line,
        sheet: given.sheet,
        file: cell('OriginalFile'),
        originalLine: Number(cell('OriginalLine')),
        sha256: cell('OriginalSha256'),
        cells: columns.map((column, index) => {
          const text = cell(column.name);
          return converted[index] === true && meaningOf(column) === 'amount' ? withDecimals(text) : text;
        }),
        converted,
        isConfirmed: cell('Problems') === '',
      },
    ];
  });
}

const isEmpty = ({ cells }: TableRow) => cells.every((text) => plainText(text ?? '') === '');

const cellAt = ({ cells }: TableRow, index: number) => plainText(cells[index] ?? '');

function problemsOfPlace(place: string, line: string, sha256: string): string[] {
  const problems: string[] = [];
  if (!/^[1-9]\d{0,8}$/.test(line)) {
    problems.push(`${place}: OriginalLine is "${line}", not a line number.${advice}`);
  }
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    const damaged = shortenedNumber.test(sha256) || spreadsheetError.test(sha256);
    problems.push(
      `${place}: OriginalSha256 is "${sha256}", not 64 hexadecimal digits${damaged ? '; a spreadsheet changed it' : ''}.${advice}`,
    );
  }
  return problems;
}

/** The amount that a workbook holds as the number 12.5. */
function withDecimals(number: string): string {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(number) ?? [];
  return whole === undefined ? number : `${whole}.${part.padEnd(2, '0')}`;
}

const advice = ' Take the cell from the sheet as it was given out.';
