import { shortenedNumber, spreadsheetError } from '../../damaged-input/cell-damage.js';
import { decisionColumns, type DecisionColumn } from '../../findings/open-item.js';
import {
  placeOf,
  type FilledInTable,
  type TableHeader,
  type TableShape,
} from '../../spreadsheet/filled-in-table.js';
import { plainText } from '../../spreadsheet/read-table.js';
import { invalid, missingColumns } from '../../spreadsheet/sheet-problems.js';

/** A row of an edited sheet of open items, with the cells that decide something; the others are only for people. */
export interface SheetRow {
  /** The first physical line of the row; in a workbook the row of its sheet. */
  readonly line: number;
  /** The sheet of a workbook. */
  readonly sheet: string | null;
  readonly id: string;
  readonly basis: string;
  /** Whether its cell `Lapsed` was emptied: the column is there, and the cell is empty. */
  readonly lapsedEmptied: boolean;
  readonly cells: Readonly<Record<DecisionColumn, string>>;
  /** The columns that its sheet still has: what is not there was not changed. */
  readonly columns: ReadonlySet<DecisionColumn>;
}

/** A sheet that was given back: its rows with a decision, and what identifies it. */
export interface Sheet {
  readonly name: string;
  readonly sha256: string;
  readonly rows: readonly SheetRow[];
}

const needed = ['DiscrepancyId', 'Decision', 'Basis'];

/** How a sheet of items is recognised, and which of its cells a person fills in (design 4.9). */
export const itemSheet: TableShape = {
  marks: ['DiscrepancyId'],
  toFill: decisionColumns,
  // An item with decisions: its cells may have been emptied.
  kept: { column: 'Basis', cell: /n[1-9]\d*$/ },
  ownCell: /^b[0-9a-f]{16}n\d+$/,
};

/**
 * Reads the decisions of a sheet that was given back. A row without any decision cell is left out, unless its item had
 * decisions, which somebody may have emptied.
 *
 * @throws ReconError SHEET_INVALID with every damaged row
 */
export function readSheet({ name, sha256, header, headers, rows: given }: FilledInTable): Sheet {
  const problems = headerProblems(headers);
  if (problems.length > 0) throw invalid(name, problems);
  const at = new Map(header.map((column, index) => [column, index]));
  const rows = given.flatMap(({ cells, line, sheet }): SheetRow[] => {
    const given = (column: string) => cells[at.get(column) ?? -1];
    const cell = (column: string) => plainText(given(column) ?? '');
    const decided = Object.fromEntries(decisionColumns.map((column) => [column, cell(column)]));
    const isEmpty = Object.values(decided).every((text) => text === '');
    if (isEmpty && !itemSheet.kept?.cell.test(cell('Basis'))) return [];
    const row: SheetRow = {
      line,
      sheet,
      id: cell('DiscrepancyId'),
      basis: cell('Basis'),
      lapsedEmptied: given('Lapsed') !== undefined && cell('Lapsed') === '',
      // It has an entry for each of the columns.
      cells: { ...decided, Until: dayOf(decided['Until'] ?? '') } as Record<DecisionColumn, string>,
      columns: new Set(decisionColumns.filter((column) => given(column) !== undefined)),
    };
    problems.push(...damageOfRow(row));
    return [row];
  });
  if (problems.length > 0) throw invalid(name, problems);
  return { name, sha256, rows };
}

const known: ReadonlySet<string> = new Set([...needed, ...decisionColumns, 'Lapsed']);

/** A sheet without a column to fill in is a list of somebody's own, as long as another one decides something. */
function headerProblems(headers: readonly TableHeader[]): string[] {
  const deciding = headers.filter(({ columns }) => decisionColumns.some((name) => columns.includes(name)));
  const [first = { line: 1, sheet: null, columns: [] }] = headers;
  return (deciding.length === 0 ? [first] : deciding).flatMap((header) => {
    const { columns } = header;
    const missing = needed.filter((column) => !columns.includes(column));
    const twice = columns.filter((column, index) => known.has(column) && columns.indexOf(column) !== index);
    const problem = missingColumns(placeOf(header), missing, 'open-items.csv or open-items.xlsx');
    return [
      ...(problem === null ? [] : [problem]),
      ...twice.map((column) => `${placeOf(header)}: the column ${column} is there twice; rename your own.`),
    ];
  });
}

/** The day of a moment: a formula such as `=NOW()+7` has a time of day, which the format of the column hides. */
const dayOf = (text: string) => text.replace(/^(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d$/, '$1');

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
