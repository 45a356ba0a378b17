import { ReconError } from '../errors.js';
import { columnIndex } from '../settlement-file/columns.js';
import type { RawRow } from '../settlement-file/read-rows.js';
import { formatAmount, parseAmount } from '../values/money.js';
import { addTo, noTotals, type FileTotals } from './control-totals.js';

const semicolon = 0x3b;
const amount = columnIndex('Amount');
const currency = columnIndex('Currency');
const settlementAmount = columnIndex('SettlementAmount');
const settlementCurrency = columnIndex('SettlementCurrency');
const uniqueId = columnIndex('UniqueID');
const counted = Math.max(amount, currency, settlementAmount, settlementCurrency, uniqueId) + 1;

/**
 * Adds up the rows that go into a reconciled file, from their own bytes, so that what was written can be
 * held against what was stored (design 1: no money row is ever lost or counted twice).
 */
export class RowSums {
  readonly totals: FileTotals = noTotals();
  readonly #starts = new Int32Array(counted + 1);

  /** @returns the row's UniqueID, which it passes on the way. */
  add(row: RawRow): string {
    const cells = row.quotedCells;
    if (cells === null) this.#locate(row);
    const cell = (index: number) => (cells === null ? this.#cell(row, index) : (cells[index] ?? ''));
    this.totals.rows += 1;
    addTo(this.totals.amounts, cell(currency), parseAmount(cell(amount)) ?? 0n);
    addTo(this.totals.settlementAmounts, cell(settlementCurrency), parseAmount(cell(settlementAmount)) ?? 0n);
    return cell(uniqueId);
  }

  /** Finds where the first cells of a row without quotes begin. */
  #locate({ bytes, start, end }: RawRow): void {
    const starts = this.#starts;
    starts[0] = start;
    let found = 1;
    for (let at = start; at < end && found <= counted; at += 1) {
      if (bytes[at] === semicolon) starts[found++] = at + 1;
    }
    if (found <= counted) throw new Error('an accepted row has 36 cells');
  }

  #cell({ bytes }: RawRow, index: number): string {
    return bytes.toString('latin1', this.#starts[index], (this.#starts[index + 1] ?? 0) - 1);
  }
}

/**
 * Holds what was written against what was stored.
 *
 * @throws ReconError CONTROL_TOTALS_DISAGREE when a row or a cent is missing or too many.
 */
export function assertConserved(name: string, stored: FileTotals, written: FileTotals): void {
  const differences = [
    ...(stored.rows === written.rows
      ? []
      : [`${stored.rows} rows are stored and ${written.rows} were written`]),
    ...compareSums('Amount', stored.amounts, written.amounts),
    ...compareSums('SettlementAmount', stored.settlementAmounts, written.settlementAmounts),
  ];
  if (differences.length > 0) {
    throw new ReconError(
      'CONTROL_TOTALS_DISAGREE',
      `The reconciled file of ${name} does not hold what was stored: ${differences.join('; ')}.`,
    );
  }
}

function compareSums(what: string, stored: Map<string, bigint>, written: Map<string, bigint>): string[] {
  return [...new Set([...stored.keys(), ...written.keys()])]
    .sort()
    .filter((code) => (stored.get(code) ?? 0n) !== (written.get(code) ?? 0n))
    .map((code) => {
      const sum = (sums: Map<string, bigint>) => formatAmount(sums.get(code) ?? 0n);
      return `${what} in ${code} is ${sum(stored)} stored and ${sum(written)} written`;
    });
}
