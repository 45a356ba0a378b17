import { severities } from '../../findings/discrepancy-codes.js';
import type { Item } from '../../findings/open-item.js';
import type { SheetCell, SheetColumn } from '../../spreadsheet/sheet-xml.js';
import { currencies } from '../../values/currencies.js';
import { byBytes } from '../../values/by-bytes.js';

interface Total {
  readonly severity: string;
  readonly code: string;
  readonly currency: string;
  items: number;
  waiting: number;
  lapsed: number;
  toReceiveMinor: bigint;
  toReturnMinor: bigint;
  oldestDays: number;
}

/** The totals of all severities, which have none, are last. */
const severityOrder: readonly string[] = [...severities, ''];

/** The sheet of totals in `open-items.xlsx`: items and money by severity, code and currency, then by currency. */
export class ItemTotals {
  static readonly columns: readonly SheetColumn[] = [
    { name: 'Severity', width: 12, type: 'text' },
    { name: 'Code', width: 30, type: 'text' },
    { name: 'Currency', width: 12, type: 'text' },
    { name: 'Items', width: 10, type: 'count' },
    { name: 'Waiting', width: 10, type: 'count' },
    { name: 'Lapsed', width: 10, type: 'count' },
    { name: 'AtRisk', width: 16, type: 'amount' },
    { name: 'ToReceive', width: 16, type: 'amount' },
    { name: 'ToReturn', width: 16, type: 'amount' },
    { name: 'OldestDays', width: 14, type: 'count' },
  ];

  readonly #totals = new Map<string, Total>();
  #items = 0;

  add(item: Item): void {
    this.#items += 1;
    const currency = item.currency ?? '';
    addTo(this.#total(item.severity, item.code, currency), item);
    addTo(this.#total('', 'ALL', currency), item);
  }

  /** @param written how many of the items are in the workbook */
  rows(written: number): SheetCell[][] {
    const rows = [...this.#totals.values()].sort(inOrder).map(cellsOf);
    if (written === this.#items) return rows;
    const sentence = `The sheets hold the ${written} items with the most money at risk of ${this.#items}; open-items.csv has all.`;
    return [...rows, [sentence]];
  }

  #total(severity: string, code: string, currency: string): Total {
    const key = `${severity} ${code} ${currency}`;
    const known = this.#totals.get(key);
    if (known !== undefined) return known;
    const begun: Total = {
      severity,
      code,
      currency,
      items: 0,
      waiting: 0,
      lapsed: 0,
      oldestDays: 0,
      toReceiveMinor: 0n,
      toReturnMinor: 0n,
    };
    this.#totals.set(key, begun);
    return begun;
  }
}

function addTo(total: Total, { status, lapsed, atRiskMinor, ageDays }: Item): void {
  total.items += 1;
  if (status === 'WAITING') total.waiting += 1;
  if (lapsed) total.lapsed += 1;
  if (atRiskMinor > 0n) total.toReceiveMinor += atRiskMinor;
  else total.toReturnMinor -= atRiskMinor;
  total.oldestDays = Math.max(total.oldestDays, ageDays);
}

function inOrder(a: Total, b: Total): number {
  return (
    severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) ||
    byBytes(a.code, b.code) ||
    byBytes(a.currency, b.currency)
  );
}

function cellsOf(total: Total): SheetCell[] {
  const { severity, code, currency, items, waiting, lapsed, toReceiveMinor, toReturnMinor, oldestDays } =
    total;
  const amount = (amountMinor: bigint) => ({
    amountMinor,
    digits: currencies.get(currency)?.minorUnits ?? 2,
  });
  return [
    ...[severity, code, currency, items, waiting, lapsed],
    ...[toReceiveMinor - toReturnMinor, toReceiveMinor, toReturnMinor].map(amount),
    oldestDays,
  ];
}
