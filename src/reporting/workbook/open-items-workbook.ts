import { severities, type Severity } from '../../findings/discrepancy-codes.js';
import { itemFields, type TextItem } from '../../findings/item-texts.js';
import type { AmountCell, SheetCell, SheetColumn } from '../../spreadsheet/sheet-xml.js';
import { WorkbookWriter, type Sheet } from '../../spreadsheet/workbook-writer.js';
import { currencies } from '../../values/currencies.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';
import { nullMark } from '../../values/row-texts.js';
import { fittingCell, storedAmount } from '../tables/csv-cells.js';
import { ItemTotals } from './item-totals.js';
import { isToFill, openItemColumns, type ItemColumn } from '../tables/open-items-columns.js';
import type { ReportFolder } from '../folder/report-folder.js';

/** What a workbook needs of a report folder. */
export type WorkbookFolder = Pick<ReportFolder, 'create' | 'finish' | 'scratch'>;

/** The name of the workbook in the report folder. */
export const workbookName = 'open-items.xlsx';

/**
 * Beyond this, `open-items.csv` goes on alone: no spreadsheet opens a workbook of more cells, and 600,000 items take 13
 * s of processor time. They come in the order of the report, so the most money at risk is in the workbook, and its
 * totals count all.
 */
const mostItems = 2_000_000;

/** Before compression. An archive without ZIP64 ends below 4 GiB. */
const mostBytes = 3.5 * 2 ** 30;

/**
 * `open-items.xlsx`: the rows of `open-items.csv` with typed cells, a sheet for each severity, and a sheet of totals
 * (design 6). A sheet that is longer than a spreadsheet continues in `error-2` and so on.
 */
export class OpenItemsWorkbook {
  readonly #folder: WorkbookFolder;
  readonly #writer: WorkbookWriter;
  readonly #totals = new ItemTotals();
  readonly #totalsSheet: Sheet;
  readonly #sheets: ReadonlyMap<Severity, Sheet>;
  readonly #most: number;
  #rows = 0;

  /** @param rowLimit rows of one sheet, header included */
  constructor(folder: WorkbookFolder, rowLimit: number, most = mostItems) {
    this.#folder = folder;
    this.#most = most;
    this.#writer = new WorkbookWriter(() => folder.scratch(), { rows: rowLimit });
    this.#totalsSheet = this.#writer.addSheet('Totals', ItemTotals.columns);
    this.#sheets = new Map(severities.map((each) => [each, this.#writer.addSheet(each, sheetColumns)]));
  }

  /** Finishes the file of the report folder. */
  async finish(): Promise<void> {
    await this.#totalsSheet.write(this.#totals.rows(this.#rows));
    const file = await this.#folder.create(workbookName);
    await this.#writer.finish(file);
    await this.#folder.finish(file, this.#rows);
  }

  async write(batch: readonly TextItem[]): Promise<void> {
    for (const item of batch) this.#totals.add(item);
    if (this.#writer.bytes > mostBytes) return;
    const fitting = batch.slice(0, this.#most - this.#rows);
    this.#rows += fitting.length;
    // In the order of the report, so that the numbers of shared texts do not depend on the size of a batch.
    for (const item of fitting) {
      const waiting = this.#sheets.get(item.severity)?.add(cellsOf(item));
      if (waiting !== undefined) await waiting;
    }
  }
}

const typeOfKind = {
  id: 'text',
  derived: 'text',
  text: 'text',
  amountOrText: 'amount',
  amount: 'amount',
  date: 'date',
  count: 'count',
} as const;

/** The columns to fill in are far to the right of those that say which item it is. */
const staying: ReadonlySet<string> = new Set(['DiscrepancyId', 'Code']);

/** On paper, an item ends with its message: more columns on a page would be too small to read. */
const lastPrinted = openItemColumns.findIndex(({ name }) => name === 'Message');

const sheetColumns: readonly SheetColumn[] = openItemColumns.map((column, index) => ({
  name: column.name,
  width: column.width,
  type: typeOfKind[column.kind],
  isToFill: isToFill(column),
  repeats: column.repeats ?? false,
  wraps: column.wraps ?? false,
  stays: staying.has(column.name),
  isPrinted: index <= lastPrinted,
  ...(column.choices === undefined ? {} : { choices: column.choices }),
}));

/** Of each column: how its text is derived, or the place of its value in an item. */
const sources = openItemColumns.map((column) =>
  column.kind === 'derived'
    ? { textOf: column.textOf }
    : { kind: column.kind, place: itemFields.indexOf(column.field) },
);

/** The values are read by their places, which takes less time than by the names of the fields. */
function cellsOf(item: TextItem): SheetCell[] {
  const { values, currency } = item;
  return sources.map((source) => {
    if ('textOf' in source) return source.textOf(item);
    const text = values[source.place] ?? nullMark;
    return text === nullMark ? null : cellOf(source.kind, text, currency);
  });
}

/** A text is never a formula in a cell of the type text, so it is as it was written. */
function cellOf(
  kind: Exclude<ItemColumn['kind'], 'derived'>,
  text: string,
  currency: string | null,
): SheetCell {
  switch (kind) {
    case 'id':
      return fittingCell(text);
    case 'text':
      return freeText(text);
    case 'amountOrText': {
      const amountMinor = storedAmount(text);
      return amountMinor === null ? freeText(text) : amountCell(amountMinor, currency);
    }
    case 'amount':
      return amountCell(BigInt(text), currency);
    case 'date':
      return { date: text };
    case 'count':
      return Number(text);
  }
}

const freeText = (text: string) => fittingCell(maskCardNumbers(text));

/** An amount with the decimals that its currency has. */
function amountCell(amountMinor: bigint, currency: string | null): AmountCell {
  return { amountMinor, digits: currencies.get(currency ?? '')?.minorUnits ?? 2 };
}
