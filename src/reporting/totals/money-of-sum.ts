import type { AcceptedSum } from './accepted-sum.js';

/** Money in hundredths. Each part is a sum over records, so that two of them can be added. */
export interface Money {
  /** Records of which the money moved. */
  records: number;
  gross: bigint;
  refunds: bigint;
  chargebacks: bigint;
  reversals: bigint;
  feesDeducted: bigint;
  feesCharged: bigint;
  feeRecords: bigint;
  failedRecords: number;
  failedPos: bigint;
  failedNeg: bigint;
}

/** The neutral element of {@link addMoney}. */
export const noMoney: Readonly<Money> = {
  records: 0,
  gross: 0n,
  refunds: 0n,
  chargebacks: 0n,
  reversals: 0n,
  feesDeducted: 0n,
  feesCharged: 0n,
  feeRecords: 0n,
  failedRecords: 0,
  failedPos: 0n,
  failedNeg: 0n,
};

const amounts = [
  'gross',
  'refunds',
  'chargebacks',
  'reversals',
  'feesDeducted',
  'feesCharged',
  'feeRecords',
  'failedPos',
  'failedNeg',
] as const;

/** The money of records that were summed (design 6). */
export function moneyOf(sum: AcceptedSum): Readonly<Money> {
  const stated = BigInt(sum.settlement_amount);
  const isPos = sum.cashflow === 'POS';
  if (sum.settlement_status === 'FAILED') {
    return { ...noMoney, failedRecords: sum.count, [isPos ? 'failedPos' : 'failedNeg']: stated };
  }
  const fee = BigInt(sum.settlement_fee);
  const feesDeducted = BigInt(sum.fee_place) * fee;
  // SettlementAmount as it would be without the fee that it contains.
  const gross = isPos ? stated + feesDeducted : stated - feesDeducted;
  const incoming = isPos ? gross : -gross;
  const moved = { ...noMoney, records: sum.count };
  if (sum.reconciliation_type === 'FEE') return { ...moved, feeRecords: -incoming };
  const ofPayments = { ...moved, feesDeducted, feesCharged: sum.fee_place === 0 ? fee : 0n };
  switch (sum.reconciliation_type) {
    case 'SETTLED':
      return { ...ofPayments, [isPos ? 'gross' : 'refunds']: gross };
    case 'CHARGEBACK':
      return { ...ofPayments, chargebacks: -incoming };
    case 'CHARGEBACK REVERSAL':
      return { ...ofPayments, reversals: incoming };
    default:
      return ofPayments;
  }
}

/** Adds `part` to `total`, which is changed. */
export function addMoney(total: Money, part: Readonly<Money>): void {
  total.records += part.records;
  total.failedRecords += part.failedRecords;
  for (const name of amounts) if (part[name] !== 0n) total[name] += part[name];
}

/** The same money to take out again. */
export function negated(money: Readonly<Money>): Readonly<Money> {
  const less: Money = { ...noMoney, records: -money.records, failedRecords: -money.failedRecords };
  for (const name of amounts) less[name] = -money[name];
  return less;
}
