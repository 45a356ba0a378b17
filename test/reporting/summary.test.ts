import { expect, test } from 'vitest';
import { serializeSummary } from '../../src/reporting/summary.js';
import type { ControlTotal } from '../../src/reporting/totals/control-totals.js';
import { outcome, reportNames } from './reporting-defaults.js';

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

const noMoney = { byCurrency: [], byMerchantAccount: [], bySettlementDate: [], byFile: [], byFeeType: [] };
const nothingRejected = { count: 0, unreadable: 0, byCurrency: new Map() };

test.each([0, 1, 2, 2_000])('a summary with %i control totals is one document', (count) => {
  const controlTotals = Array.from({ length: count }, (_, index) => controlTotal(index));
  const discrepancies = { total: 0, byCode: {}, amounts: [] };
  const totals = { money: noMoney, rejected: nothingRejected };
  const pieces = [...serializeSummary({ ...outcome, discrepancies }, reportNames, { controlTotals, totals })];
  const document = JSON.parse(pieces.join('')) as { controlTotals: unknown };
  expect(document.controlTotals).toEqual(controlTotals);
  expect(pieces.join('')).toBe(`${JSON.stringify(document, null, 2)}\n`);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
});
