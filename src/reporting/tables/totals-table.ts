import { dateCell, textCell, type Cell } from './csv-cells.js';
import type { MoneySums, MoneyTotals } from '../totals/money-totals.js';
import type { RejectedAmount, RejectedAmounts } from '../totals/rejected-amounts.js';
import type { Table } from './write-table.js';

/** One group: `by` says of what kind, and which of the keys is filled. */
interface Row {
  readonly by: 'CURRENCY' | 'ACCOUNT' | 'DATE' | 'FILE' | 'FEE' | 'UNREADABLE';
  readonly currency: string | null;
  readonly file?: string;
  readonly alreadyKnown?: number;
  readonly merchantAccountId?: string;
  readonly settlementDate?: string;
  readonly paymentType?: string;
  readonly money?: MoneySums;
  readonly rejected?: Partial<RejectedAmount>;
}

const columns: readonly (readonly [name: string, cell: (row: Row) => Cell | undefined])[] = [
  ['By', (row) => textCell(row.by)],
  ['File', (row) => textCell(row.file ?? null)],
  ['MerchantAccountId', (row) => textCell(row.merchantAccountId ?? null)],
  ['SettlementDate', (row) => dateCell(row.settlementDate ?? null)],
  ['FeeType', (row) => textCell(row.paymentType ?? null)],
  ['Currency', (row) => textCell(row.currency)],
  ['Records', ({ money }) => money?.records],
  ['AlreadyKnown', (row) => row.alreadyKnown],
  ['Gross', ({ money }) => money?.gross],
  ['Refunds', ({ money }) => money?.refunds],
  ['Chargebacks', ({ money }) => money?.chargebacks],
  ['Reversals', ({ money }) => money?.reversals],
  ['Fees', ({ money }) => money?.fees],
  ['Net', ({ money }) => money?.net],
  ['FeesDeducted', ({ money }) => money?.feesDeducted],
  ['FeesCharged', ({ money }) => money?.feesCharged],
  ['FeeRecords', ({ money }) => money?.feeRecords],
  ['FailedRecords', ({ money }) => money?.failed.count],
  ['FailedPos', ({ money }) => money?.failed.pos],
  ['FailedNeg', ({ money }) => money?.failed.neg],
  ['RejectedRows', ({ rejected }) => rejected?.count],
  ['RejectedPos', ({ rejected }) => rejected?.pos],
  ['RejectedNeg', ({ rejected }) => rejected?.neg],
];

/**
 * `totals.csv`: the money of the scope by currency, merchant account, settlement date, file and type of fee record. In
 * each row Gross - Refunds - Chargebacks + Reversals - Fees = Net; what FAILED or was rejected is stated apart.
 */
export function totalsTable(totals: MoneyTotals, rejected: RejectedAmounts): Table {
  return {
    name: 'totals',
    header: columns.map(([name]) => name),
    rows: inOneBatch(rowsOf(totals, rejected).map((row) => columns.map(([, cell]) => cell(row) ?? null))),
  };
}

function rowsOf(totals: MoneyTotals, rejected: RejectedAmounts): Row[] {
  const currencies = new Set([
    ...totals.byCurrency.map((money) => money.currency),
    ...rejected.byCurrency.keys(),
  ]);
  const unreadable: Row[] =
    rejected.unreadable === 0
      ? []
      : [{ by: 'UNREADABLE', currency: null, rejected: { count: rejected.unreadable } }];
  return [
    ...[...currencies].sort().map((currency): Row => {
      const money = totals.byCurrency.find((sums) => sums.currency === currency);
      const refused = rejected.byCurrency.get(currency);
      return {
        by: 'CURRENCY',
        currency,
        ...(money === undefined ? {} : { money }),
        ...(refused === undefined ? {} : { rejected: refused }),
      };
    }),
    ...unreadable,
    ...totals.byMerchantAccount.map(({ merchantAccountId, ...money }): Row => ({
      by: 'ACCOUNT',
      currency: money.currency,
      merchantAccountId,
      money,
    })),
    ...totals.bySettlementDate.map(({ settlementDate, ...money }): Row => ({
      by: 'DATE',
      currency: money.currency,
      settlementDate,
      money,
    })),
    ...totals.byFile.map(({ file, alreadyKnown, ...money }): Row => ({
      by: 'FILE',
      currency: money.currency,
      file,
      alreadyKnown,
      money,
    })),
    ...totals.byFeeType.map(({ paymentType, ...money }): Row => ({
      by: 'FEE',
      currency: money.currency,
      paymentType,
      money,
    })),
  ];
}

// A table's rows come in batches from the database; these are few and in memory.
// eslint-disable-next-line @typescript-eslint/require-await
async function* inOneBatch(rows: readonly (readonly Cell[])[]): AsyncGenerator<readonly (readonly Cell[])[]> {
  if (rows.length > 0) yield rows;
}
