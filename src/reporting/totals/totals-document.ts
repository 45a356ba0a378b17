import type { CurrencyTotal, MovedMoney, RunTotals, UnmovedMoney } from '../../outcome.js';
import { formatAmount } from '../../values/money.js';
import type { MoneySums, MoneyTotals } from './money-totals.js';
import type { RejectedAmounts } from './rejected-amounts.js';

/** Both halves of the totals of a scope. */
export interface ScopeTotals {
  readonly money: MoneyTotals;
  readonly rejected: RejectedAmounts;
}

/** The totals as `run --json` prints them: per currency alone, since accounts and days may be many. */
export function runTotals({ money, rejected }: ScopeTotals): RunTotals {
  const currencies = new Set([
    ...money.byCurrency.map(({ currency }) => currency),
    ...rejected.byCurrency.keys(),
  ]);
  return {
    byCurrency: [...currencies].sort().map((currency): CurrencyTotal => {
      const sums = money.byCurrency.find((each) => each.currency === currency) ?? nothingMoved(currency);
      return {
        ...movedMoney(sums),
        rejected: unmoved(rejected.byCurrency.get(currency) ?? { count: 0, pos: 0n, neg: 0n }),
      };
    }),
    rejectedRows: { count: rejected.count, unreadable: rejected.unreadable },
  };
}

/** The totals as `summary.json` holds them. The list of merchant accounts can be read once. */
export function summaryTotals(totals: ScopeTotals): object {
  const { byMerchantAccount, bySettlementDate, byFeeType } = totals.money;
  return {
    ...runTotals(totals),
    byMerchantAccount: accountsOf(byMerchantAccount),
    bySettlementDate: bySettlementDate.map((sums) => ({
      settlementDate: sums.settlementDate,
      ...movedMoney(sums),
    })),
    feeRecords: byFeeType.map(({ paymentType, currency, records, feeRecords }) => ({
      paymentType,
      currency,
      records,
      amount: formatAmount(feeRecords),
    })),
  };
}

/** Made when they are read, because there may be many. */
function* accountsOf(accounts: MoneyTotals['byMerchantAccount']): Generator<object> {
  for (const sums of accounts) yield { merchantAccountId: sums.merchantAccountId, ...movedMoney(sums) };
}

function movedMoney(sums: MoneySums): MovedMoney {
  return {
    currency: sums.currency,
    records: sums.records,
    gross: formatAmount(sums.gross),
    refunds: formatAmount(sums.refunds),
    chargebacks: formatAmount(sums.chargebacks),
    reversals: formatAmount(sums.reversals),
    fees: formatAmount(sums.fees),
    net: formatAmount(sums.net),
    feesDeducted: formatAmount(sums.feesDeducted),
    feesCharged: formatAmount(sums.feesCharged),
    feeRecords: formatAmount(sums.feeRecords),
    failed: unmoved(sums.failed),
  };
}

function unmoved({ count, pos, neg }: MoneySums['failed']): UnmovedMoney {
  return { count, pos: formatAmount(pos), neg: formatAmount(neg) };
}

function nothingMoved(currency: string): MoneySums {
  return {
    currency,
    records: 0,
    gross: 0n,
    refunds: 0n,
    chargebacks: 0n,
    reversals: 0n,
    fees: 0n,
    net: 0n,
    feesDeducted: 0n,
    feesCharged: 0n,
    feeRecords: 0n,
    failed: { count: 0, pos: 0n, neg: 0n },
  };
}
