import { invalid } from './sheet-problems.js';

/** Where something stands in a sheet that somebody filled in. */
export interface TablePlace {
  /** The first physical line of the row; in a workbook the row of its sheet. */
  readonly line: number;
  /** The sheet of a workbook. */
  readonly sheet: string | null;
}

/** A row of a sheet that somebody filled in. */
export interface TableRow extends TablePlace {
  /** By the header of the table; undefined or left out where the row's own sheet has no such column. */
  readonly cells: readonly (string | undefined)[];
  /** The cells that a workbook holds as numbers or days, by the header too; undefined if there are none. */
  readonly converted?: readonly boolean[];
}

/** The header of a sheet: a workbook may have several, each with other columns. */
export interface TableHeader extends TablePlace {
  readonly columns: readonly string[];
}

/** A CSV file or workbook that somebody filled in and saved. */
export interface FilledInTable {
  readonly name: string;
  readonly sha256: string;
  /** The columns of all sheets, each once. */
  readonly header: readonly string[];
  readonly headers: readonly TableHeader[];
  readonly rows: readonly TableRow[];
}

/** How a table that was filled in is recognised, and which of its rows are read. */
export interface TableShape {
  /** Names of columns, of which the header has one at least: they show what the separator is, or which sheet it is. */
  readonly marks: readonly string[];
  /**
   * A row in which all of these columns are empty is left out, if there are such columns; most rows of a long sheet.
   */
  readonly toFill: readonly string[];
  /** Rows that are kept although nothing is filled in: those with such a cell in this column. */
  readonly kept?: { readonly column: string; readonly cell: RegExp };
  /** A cell that only a sheet of ours has: without its header, such a sheet is not passed over. */
  readonly ownCell: RegExp;
}

/** `line 12`, or `sheet error, row 12`: where a row stands, for a message. */
export function placeOf({ line, sheet }: TablePlace): string {
  return sheet === null ? `line ${line}` : `sheet ${sheet}, row ${line}`;
}

/** People write a title above the header, or leave lines empty there. */
export const rowsToHeader = 20;

/** The rows that somebody filled in, of all sheets of a file. */
export class FilledInRows {
  readonly shape: TableShape;
  readonly rows: TableRow[] = [];
  readonly headers: TableHeader[] = [];
  readonly header: string[] = [];
  readonly #name: string;

  constructor(shape: TableShape, name: string) {
    this.shape = shape;
    this.#name = name;
  }

  /** Begins the next sheet; the rows that are added belong to it. */
  beginSheet(sheet: string | null): { readonly add: AddRow } {
    let above = 0;
    let columns: Columns | undefined;
    let before: readonly (string | undefined)[] = [];
    return {
      add: (line, cells, converted) => {
        if (columns !== undefined)
          before = this.#addRow({ line, sheet }, cells, { columns, converted, before });
        else if (above < rowsToHeader && this.#isHeader(cells)) columns = this.#addHeader(line, sheet, cells);
        else this.#refuseOwn(sheet, cells);
        above += 1;
      },
    };
  }

  #isHeader(cells: readonly string[]): boolean {
    return cells.some((cell) => this.shape.marks.includes(cell.trim()));
  }

  #addHeader(line: number, sheet: string | null, cells: readonly string[]): Columns {
    const columns = cells.map((cell) => cell.trim());
    this.headers.push({ line, sheet, columns });
    for (const column of columns) if (!this.header.includes(column)) this.header.push(column);
    const placesOf = (names: readonly string[]) =>
      names.map((name) => columns.indexOf(name)).filter((at) => at !== -1);
    const { toFill, kept } = this.shape;
    return {
      places: this.header.map((column) => columns.indexOf(column)),
      toFill: placesOf(toFill),
      kept: kept === undefined ? -1 : columns.indexOf(kept.column),
    };
  }

  /**
   * Cells that repeat those of the row before, as most do, are kept once: a sheet may have a million rows.
   *
   * @returns the cells of the row that was added last
   */
  #addRow(
    place: TablePlace,
    cells: readonly string[],
    { columns, converted, before }: Adding,
  ): readonly (string | undefined)[] {
    const { places, toFill, kept } = columns;
    const isFilled = toFill.length === 0 || toFill.some((at) => (cells[at] ?? '').trim() !== '');
    const isKept = this.shape.kept?.cell.test((cells[kept] ?? '').trim()) === true;
    if (!isFilled && !isKept) return before;
    const own = places.map((at, column) => {
      const cell = at === -1 ? undefined : (cells[at] ?? '');
      return cell === before[column] ? before[column] : cell;
    });
    this.rows.push({
      ...place,
      cells: own,
      ...(converted?.includes(true) !== true
        ? {}
        : { converted: places.map((at) => converted[at] ?? false) }),
    });
    return own;
  }

  /** Rows that look like decisions must not be passed over because the names of their columns are gone. */
  #refuseOwn(sheet: string | null, cells: readonly string[]): void {
    if (sheet === null || !cells.some((cell) => this.shape.ownCell.test(cell.trim()))) return;
    throw invalid(this.#name, [
      `sheet ${sheet}: it has rows of a sheet that recon wrote, but none of its first ${rowsToHeader} rows has the column ${this.shape.marks.join(' or ')}; write the names of the columns as they were given out, or remove the sheet.`,
    ]);
  }
}

type AddRow = (line: number, cells: readonly string[], converted?: readonly boolean[]) => void;

/** What is known about a row that is added. */
interface Adding {
  readonly columns: Columns;
  readonly converted: readonly boolean[] | undefined;
  /** The cells of the row that was added before it. */
  readonly before: readonly (string | undefined)[];
}

/** Where the columns of a sheet are. */
interface Columns {
  /** By the header of the table. */
  readonly places: readonly number[];
  readonly toFill: readonly number[];
  readonly kept: number;
}
