import { dateCell, textCell, type Cell } from './csv-cells.js';
import type { MoneySums, MoneyTotals } from '../totals/money-totals.js';
import type { RejectedAmount, RejectedAmounts } from '../totals/rejected-amounts.js';
import type { Table } from './write-table.js';

/** One group: `by` says of what kind, and which of the keys is filled. */
interface Row {
  readonly by: 'CURRENCY' | 'ACCOUNT' | 'DATE' | 'FILE' | 'FEE' | 'UNREADABLE';
  readonly currency: string | null;
  readonly file?: string;
  readonly reconciledFile?: string;
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
  ['ReconciledFile', (row) => textCell(row.reconciledFile ?? null)],
];

/**
 * `totals.csv`: the money of the scope by currency, merchant account, settlement date, file and type of fee record. In
 * each row Gross - Refunds - Chargebacks + Reversals - Fees = Net; what FAILED or was rejected is stated apart.
 */
export function totalsTable(totals: MoneyTotals, rejected: RejectedAmounts): Table {
  return {
    name: 'totals',
    header: columns.map(([name]) => name),
    rows: inBatches(rowsOf(totals, rejected)),
  };
}

function* rowsOf(totals: MoneyTotals, rejected: RejectedAmounts): Generator<Row> {
  const currencies = new Set([
    ...totals.byCurrency.map((money) => money.currency),
    ...rejected.byCurrency.keys(),
  ]);
  for (const currency of [...currencies].sort()) {
    const money = totals.byCurrency.find((sums) => sums.currency === currency);
    const refused = rejected.byCurrency.get(currency);
    yield {
      by: 'CURRENCY',
      currency,
      ...(money === undefined ? {} : { money }),
      ...(refused === undefined ? {} : { rejected: refused }),
    };
  }
  if (rejected.unreadable > 0) {
    yield { by: 'UNREADABLE', currency: null, rejected: { count: rejected.unreadable } };
  }
  for (const money of totals.byMerchantAccount) {
    const { currency, merchantAccountId } = money;
    yield { by: 'ACCOUNT', currency, merchantAccountId, money };
  }
  for (const money of totals.bySettlementDate) {
    yield { by: 'DATE', currency: money.currency, settlementDate: money.settlementDate, money };
  }
  for (const money of totals.byFile) {
    const { currency, file, reconciledFile, alreadyKnown } = money;
    yield { by: 'FILE', currency, file, reconciledFile, alreadyKnown, money };
  }
  for (const money of totals.byFeeType) {
    yield { by: 'FEE', currency: money.currency, paymentType: money.paymentType, money };
  }
}

/** Rows whose cells are made at a time: there may be as many rows as merchant accounts. */
const rowsAtOnce = 500;

// A table's rows come in batches from the database; these are in memory.
// eslint-disable-next-line @typescript-eslint/require-await
async function* inBatches(rows: Iterable<Row>): AsyncGenerator<Cell[][]> {
  let batch: Cell[][] = [];
  for (const row of rows) {
    batch.push(columns.map(([, cell]) => cell(row) ?? null));
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
