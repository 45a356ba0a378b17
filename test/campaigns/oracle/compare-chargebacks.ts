import path from 'node:path';
import { isWithin, type ExpectedRun } from './books.js';
import { compareLists } from './compare-values.js';
import { readReport } from './read-report.js';
import type { SettlementRecord } from './records.js';

const copied = ['Amount', 'Currency', 'ReasonCode', 'SettlementDate', 'SettlementTxId'];
const names = ['Status', 'PaymentId', ...copied, 'ReversedOn', 'ReversedAmount', 'ReversedCurrency'];

/** chargebacks.csv of a re-run (design 6): every chargeback that has an id, and what became of it. */
export function compareChargebacks(folder: string, { matches, chargebacks, days }: ExpectedRun): string[] {
  const reversalsOf = (chargeback: SettlementRecord) =>
    [...chargebacks.linked].filter(([, of]) => of === chargeback).map(([reversal]) => reversal);
  const expected = [...matches].flatMap(([record, { status, payments }]) => {
    if (record.type !== 'CHARGEBACK' || status !== 'MATCHED') return [];
    const reversals = reversalsOf(record);
    // Of these days, or reversed in them.
    const settled = [record, ...reversals];
    if (!settled.some((one) => isWithin(days, one.cells['SettlementDate']))) return [];
    const { cells } = record;
    const state = reversals.length > 0 ? 'REVERSED' : record.hasFailed ? 'FAILED' : 'OPEN';
    return [
      [
        record.place,
        state,
        payments[0]?.id,
        ...copied.map((name) => cells[name]),
        ...returned(reversals),
      ].join(' '),
    ];
  });
  return compareLists(
    'chargebacks.csv',
    readReport(path.join(folder, 'chargebacks.csv')).map((row) =>
      [`${row['File'] ?? ''}:${row['Line'] ?? ''}`, ...names.map((name) => row[name])].join(' '),
    ),
    expected,
  );
}

/** The last day, the sum and the currency of the reversals of a chargeback, as the report has them. */
function returned(reversals: readonly SettlementRecord[]): (string | undefined)[] {
  const [first] = reversals;
  if (first === undefined) return [undefined, undefined, undefined];
  const days = reversals.map(({ cells }) => cells['SettlementDate'] ?? '').sort();
  const sum = reversals.reduce((all, { amount }) => all + amount, 0);
  return [days.at(-1), (sum / 100).toFixed(2), first.currency];
}
