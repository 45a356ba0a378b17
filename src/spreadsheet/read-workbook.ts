import { archiveProblem, type ArchiveLimits } from './archive-limits.js';
import { cellsWithoutText, marking } from './cells-without-text.js';
import { invalid } from './sheet-problems.js';

/** A row of a sheet, with the cells as the texts that a CSV file would have. */
export interface WorkbookRow {
  readonly sheet: string;
  /** As the spreadsheet counts. */
  readonly row: number;
  readonly cells: readonly string[];
  /** The cells that the workbook holds as numbers or days: what was typed or read as text may have been another. */
  readonly converted: readonly boolean[];
}

type CellValue = string | number | boolean | Date | null;

/**
 * The rows of every sheet of a workbook (XLSX), one after another, as any spreadsheet program saved it.
 *
 * @throws ReconError SHEET_INVALID if it is damaged, encrypted or too large to unpack
 */
export async function* readWorkbook(
  bytes: Buffer,
  name: string,
  limits?: ArchiveLimits,
): AsyncGenerator<WorkbookRow> {
  const problem = archiveProblem(bytes, limits);
  if (problem !== null) throw invalid(name, [`${problem}.`]);
  // Only a workbook needs it, and most commands read none.
  const { readXlsx, streamXlsxRows } = await import('hucre/xlsx');
  try {
    const sheets: string[] = [];
    await readXlsx(bytes, {
      sheets: (sheet) => {
        sheets.push(sheet.name);
        return false;
      },
    });
    const withoutText = await cellsWithoutText(bytes);
    for (const [at, sheet] of sheets.entries()) {
      const own = withoutText[at];
      if (own === null) continue;
      const mark = marking(own ?? { uncalculated: new Map(), merged: [] });
      for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
        // The library names more types of cells than it returns for rows.
        const all = values as readonly CellValue[];
        const row = index + 1;
        yield { sheet, row, cells: mark(row, all.map(textOf)), converted: all.map(isConverted) };
      }
    }
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : 'it cannot be read';
    throw invalid(name, [`the workbook is damaged (${reason}); save it again as .xlsx.`]);
  }
}

const isConverted = (value: CellValue) => typeof value === 'number' || value instanceof Date;

/** A cell as the reports write it in CSV. */
function textOf(value: CellValue): string {
  if (value === null) return '';
  if (value instanceof Date) return dayOf(value);
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'boolean' ? value.toString().toUpperCase() : value;
}

/** `2026-11-19`; with the time of day, if there is one. */
function dayOf(moment: Date): string {
  if (Number.isNaN(moment.getTime())) return '';
  const [day = '', time = ''] = moment.toISOString().split('T');
  return time === '00:00:00.000Z' ? day : `${day} ${time.slice(0, 8)}`;
}

/** A spreadsheet keeps 15 digits: what is longer has lost its digits, and is shown as a spreadsheet shows it. */
function numberText(value: number): string {
  return Math.abs(value) < 1e15 ? value.toString() : value.toExponential().toUpperCase();
}
