import { shortenedNumber, spreadsheetError } from '../../damaged-input/cell-damage.js';
import { columns } from '../../settlement-file/columns.js';
import { correctionHeader } from '../../settlement-file/correction-sheet.js';
import { meaningOf } from '../../settlement-file/validate-row.js';
import { placeOf, type FilledInTable, type TablePlace } from '../../spreadsheet/filled-in-table.js';
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
 * Reads the rows of a sheet of corrections; rows without any cell are left out.
 *
 * @throws ReconError SHEET_INVALID with every row whose place was changed
 */
export function readCorrectionRows({ name, header, headers, rows: given }: FilledInTable): CorrectionRow[] {
  const problems = headers.flatMap((each) => {
    const missing = correctionHeader.filter((column) => !each.columns.includes(column));
    return missingColumns(placeOf(each), missing, 'corrections.csv') ?? [];
  });
  if (problems.length > 0) throw invalid(name, problems);
  const rows = given.flatMap(({ cells, line, sheet, converted: numbers = [] }): CorrectionRow[] => {
    const place = placeOf({ line, sheet });
    const cell = (column: string) => plainText(cells[header.indexOf(column)] ?? '');
    const converted = columns.map((column) => numbers[header.indexOf(column.name)] ?? false);
    if (cells.every((text) => plainText(text ?? '') === '')) return [];
    const row: CorrectionRow = {
      line,
      sheet,
      file: cell('OriginalFile'),
      originalLine: Number(cell('OriginalLine')),
      sha256: cell('OriginalSha256'),
      cells: columns.map((column, index) => {
        const text = cell(column.name);
        return converted[index] === true && meaningOf(column) === 'amount' ? withDecimals(text) : text;
      }),
      converted,
      isConfirmed: cell('Problems') === '',
    };
    if (!/^[1-9]\d{0,8}$/.test(cell('OriginalLine'))) {
      problems.push(`${place}: OriginalLine is "${cell('OriginalLine')}", not a line number.${advice}`);
    }
    if (!/^[0-9a-f]{64}$/.test(row.sha256)) {
      const damaged = shortenedNumber.test(row.sha256) || spreadsheetError.test(row.sha256);
      problems.push(
        `${place}: OriginalSha256 is "${row.sha256}", not 64 hexadecimal digits${damaged ? '; a spreadsheet changed it' : ''}.${advice}`,
      );
    }
    return [row];
  });
  if (problems.length > 0) throw invalid(name, problems);
  return rows;
}

/** The amount that a workbook holds as the number 12.5. */
function withDecimals(number: string): string {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(number) ?? [];
  return whole === undefined ? number : `${whole}.${part.padEnd(2, '0')}`;
}

const advice = ' Take the cell from the sheet as it was given out.';
