import { shortenedNumber, spreadsheetError } from '../damaged-input/cell-damage.js';
import { decisionColumns, type DecisionColumn } from '../findings/open-item.js';
import { placeOf, plainText, type GivenTable, type TableShape } from '../spreadsheet/read-table.js';
import { invalid, refuseMissingColumns } from '../spreadsheet/sheet-problems.js';

/** A row of an edited sheet of open items, with the cells that decide something; the others are only for people. */
export interface SheetRow {
  /** The first physical line of the row; in a workbook the row of its sheet. */
  readonly line: number;
  /** The sheet of a workbook. */
  readonly sheet: string | null;
  readonly id: string;
  readonly basis: string;
  readonly lapsed: string;
  readonly cells: Readonly<Record<DecisionColumn, string>>;
}

export interface Sheet {
  readonly name: string;
  readonly sha256: string;
  readonly rows: readonly SheetRow[];
}

const needed = ['DiscrepancyId', 'Decision', 'Basis'];

/** How a sheet of items is recognised. */
export const itemSheet: TableShape = { marks: ['DiscrepancyId'], toFill: decisionColumns };

/**
 * Reads the decisions of a sheet that was given back. A row without any decision cell is left out.
 *
 * @throws ReconError SHEET_INVALID with every damaged row
 */
export function readSheet({ name, sha256, header, rows: given }: GivenTable): Sheet {
  const at = (column: string) => header.indexOf(column);
  const missing = needed.filter((column) => at(column) === -1);
  refuseMissingColumns(name, missing, 'open-items.csv or open-items.xlsx');
  const problems: string[] = [];
  const rows = given.flatMap(({ cells, line, sheet }): SheetRow[] => {
    const cell = (column: string) => plainText(cells[at(column)] ?? '');
    const decided = Object.fromEntries(decisionColumns.map((column) => [column, cell(column)]));
    if (Object.values(decided).every((text) => text === '')) return [];
    const row: SheetRow = {
      line,
      sheet,
      id: cell('DiscrepancyId'),
      basis: cell('Basis'),
      lapsed: cell('Lapsed'),
      // It has an entry for each of the columns.
      cells: decided as Record<DecisionColumn, string>,
    };
    problems.push(...damageOfRow(row));
    return [row];
  });
  if (problems.length > 0) throw invalid(name, problems);
  return { name, sha256, rows };
}

/** What a spreadsheet did to the cells that name the item; empty when nothing. */
function damageOfRow({ id, basis, cells, ...row }: SheetRow): string[] {
  const damaged = (text: string) =>
    shortenedNumber.test(text) || spreadsheetError.test(text)
      ? ' a spreadsheet changed it: take the cell from the sheet as it was given out.'
      : '';
  const problem = (column: string, text: string, expected: string) =>
    `${placeOf(row)}: ${column} is "${text}", not ${expected};${damaged(text) || ' leave it as it was given out.'}`;
  return [
    ...(/^[0-9a-f]{32}$/.test(id) ? [] : [problem('DiscrepancyId', id, '32 hexadecimal digits')]),
    ...(/^b[0-9a-f]{16}n\d+$/.test(basis) ? [] : [problem('Basis', basis, 'as it was written')]),
    ...(damaged(cells.LinkTo) === '' ? [] : [problem('LinkTo', cells.LinkTo, 'a payment')]),
  ];
}
