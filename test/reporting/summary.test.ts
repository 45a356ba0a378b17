import { expect, test } from 'vitest';
import type { ReportPaths } from '../../src/outcome.js';
import { serializeSummary } from '../../src/reporting/summary.js';
import type { ControlTotal } from '../../src/reporting/totals/control-totals.js';
import { outcome } from './reporting-defaults.js';

const reports: ReportPaths = {
  directory: '.',
  discrepancies: 'discrepancies.csv',
  rejectedRows: 'rejected-rows.csv',
  chargebacks: 'chargebacks.csv',
  totals: 'totals.csv',
  reconciled: [],
  summary: 'summary.json',
  manifest: 'manifest.json',
  openItems: 'open-items.csv',
  openItemsXlsx: 'open-items.xlsx',
  page: 'page.html',
  corrections: 'corrections.csv',
};

const controlTotal = (number: number): ControlTotal => ({
  source: 'bank',
  file: `a "quoted"\nname.csv`,
  sha256: 'f'.repeat(64),
  merchantAccountId: String(number),
  settlementCurrency: 'EUR',
  reconciliationType: 'SETTLED',
  count: number,
  alreadyKnown: 0,
  pos: '1.00',
  neg: '0.00',
  net: '1.00',
  failed: { count: 0, pos: '0.00', neg: '0.00' },
});

/** What the summary is read from, however many pieces it has. */
function summaryOf(controlTotals: readonly ControlTotal[]): string[] {
  const totals = {
    money: { byCurrency: [], byMerchantAccount: [], bySettlementDate: [], byFile: [], byFeeType: [] },
    rejected: { count: 0, unreadable: 0, byCurrency: new Map() },
  };
  const discrepancies = { total: 0, byCode: {}, amounts: [] };
  return [...serializeSummary({ ...outcome, discrepancies }, reports, { controlTotals, totals })];
}

test.each([
  [0, 2],
  [1, 2],
  [499, 2],
  [500, 3],
  [501, 3],
  [2_000, 6],
])('a summary with %i control totals is one document, written in %i pieces', (count, pieces) => {
  const controlTotals = Array.from({ length: count }, (_, index) => controlTotal(index));
  const written = summaryOf(controlTotals);
  expect(written).toHaveLength(pieces);
  const document = JSON.parse(written.join('')) as { controlTotals: unknown };
  expect(document.controlTotals).toEqual(controlTotals);
  expect(written.join('')).toBe(`${JSON.stringify(document, null, 2)}\n`);
});
