import type { SumsByCurrency } from '../../differing-sums.js';
import type { FileId } from '../../values/ids.js';
import type { AcceptedSum } from './accepted-sum.js';

/** Rows and amounts per currency of a file's accepted rows in scope: what its reconciled file must hold. */
export interface FileTotals {
  readonly rows: number;
  /** The numbers of their lines, added up: rows whose lines were exchanged for others make another sum. */
  readonly lines: number;
  /** By Currency. */
  readonly amounts: SumsByCurrency;
  /** By SettlementCurrency. */
  readonly settlementAmounts: SumsByCurrency;
}

/** Of a file without a row in scope. */
export const noTotals: FileTotals = { rows: 0, lines: 0, amounts: new Map(), settlementAmounts: new Map() };

interface GrowingTotals {
  rows: number;
  lines: number;
  readonly amounts: Map<string, bigint>;
  readonly settlementAmounts: Map<string, bigint>;
}

/** Adds up the accepted rows of each file. */
export class FileTotalsAdder {
  readonly #byFile = new Map<FileId, GrowingTotals>();

  add(sum: AcceptedSum): void {
    let totals = this.#byFile.get(sum.file_id);
    if (totals === undefined) {
      totals = { rows: 0, lines: 0, amounts: new Map(), settlementAmounts: new Map() };
      this.#byFile.set(sum.file_id, totals);
    }
    totals.rows += sum.count;
    totals.lines += sum.lines;
    addTo(totals.amounts, sum.currency, sum.amount);
    addTo(totals.settlementAmounts, sum.settlement_currency, sum.settlement_amount);
  }

  totals(): ReadonlyMap<FileId, FileTotals> {
    return this.#byFile;
  }
}

function addTo(sums: Map<string, bigint>, currency: string, amount: string): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
}
