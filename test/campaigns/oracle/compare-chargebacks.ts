import path from 'node:path';
import { isWithin, type ExpectedRun } from './books.js';
import { compareLists } from './compare-values.js';
import { readReport } from './read-report.js';

const copied = ['Amount', 'Currency', 'ReasonCode', 'SettlementDate', 'SettlementTxId'];
const names = ['Status', 'PaymentId', ...copied, 'ReversedOn', 'ReversedAmount', 'ReversedCurrency'];

/** chargebacks.csv of a re-run (design 6): every chargeback that has an id, and what became of it. */
export function compareChargebacks(folder: string, { matches, chargebacks, days }: ExpectedRun): string[] {
  const reversalOf = new Map([...chargebacks.linked].map(([reversal, chargeback]) => [chargeback, reversal]));
  const expected = [...matches].flatMap(([record, { status, payments }]) => {
    if (record.type !== 'CHARGEBACK' || status !== 'MATCHED') return [];
    const reversal = reversalOf.get(record);
    // Of these days, or reversed in them.
    const settled = [record, ...(reversal === undefined ? [] : [reversal])];
    if (!settled.some((one) => isWithin(days, one.cells['SettlementDate']))) return [];
    const { cells } = record;
    const state = reversal !== undefined ? 'REVERSED' : record.hasFailed ? 'FAILED' : 'OPEN';
    return [
      [
        record.place,
        state,
        payments[0]?.id,
        ...copied.map((name) => cells[name]),
        ...['SettlementDate', 'Amount', 'Currency'].map((name) => reversal?.cells[name]),
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
