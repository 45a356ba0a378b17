import type { AcceptedSum } from './accepted-sum.js';
import { byBytes } from '../../values/by-bytes.js';

/** Sums in one settlement currency, in hundredths: gross - refunds - chargebacks + reversals - fees = net. */
export interface MoneySums {
  readonly currency: string;
  /** Records of which the money moved. */
  readonly records: number;
  readonly gross: bigint;
  readonly refunds: bigint;
  readonly chargebacks: bigint;
  readonly reversals: bigint;
  /** feesDeducted + feesCharged + feeRecords. */
  readonly fees: bigint;
  readonly net: bigint;
  readonly feesDeducted: bigint;
  readonly feesCharged: bigint;
  readonly feeRecords: bigint;
  /** Records that are FAILED: their money did not move and is in no other sum. */
  readonly failed: { readonly count: number; readonly pos: bigint; readonly neg: bigint };
}

/** The money of a scope, by everything that a bank statement may be compared with; each list in order of its keys. */
export interface MoneyTotals {
  readonly byCurrency: readonly MoneySums[];
  readonly byMerchantAccount: readonly (MoneySums & { readonly merchantAccountId: string })[];
  readonly bySettlementDate: readonly (MoneySums & { readonly settlementDate: string })[];
  /** Of whole files: rows that came in an earlier file count here as well, and nowhere else. */
  readonly byFile: readonly (MoneySums & { readonly file: string; readonly alreadyKnown: number })[];
  /** FEE records: AUTH_FEE … REFUND_FEE belong to a payment, the other types to an account or a payout. */
  readonly byFeeType: readonly (MoneySums & { readonly paymentType: string })[];
}

/**
 * Folds the sums of the accepted rows into totals that tie out (design 6). Each record counts once: a row that was
 * already known counts with the file that brought it first, except in the totals of a file, which are as it was sent.
 */
export function moneyTotals(sums: readonly AcceptedSum[]): MoneyTotals {
  const records = sums.filter((sum) => sum.counted);
  return {
    byCurrency: grouped(records, () => []).map(addUp),
    byMerchantAccount: grouped(records, (sum) => [sum.merchant_account_id]).map((group) => ({
      merchantAccountId: group[0].merchant_account_id,
      ...addUp(group),
    })),
    bySettlementDate: grouped(records, (sum) => [sum.settlement_date]).map((group) => ({
      settlementDate: group[0].settlement_date,
      ...addUp(group),
    })),
    byFile: grouped(sums, (sum) => [sum.file, sum.sha256]).map((group) => ({
      file: group[0].file,
      alreadyKnown: countOf(group.filter((sum) => sum.known)),
      ...addUp(group),
    })),
    byFeeType: grouped(
      records.filter((sum) => sum.reconciliation_type === 'FEE'),
      (sum) => [sum.payment_type],
    ).map((group) => ({ paymentType: group[0].payment_type, ...addUp(group) })),
  };
}

type Group = readonly [AcceptedSum, ...AcceptedSum[]];

/** Groups of one settlement currency each, in the order of their keys. */
function grouped(sums: readonly AcceptedSum[], keys: (sum: AcceptedSum) => readonly string[]): Group[] {
  const groups = new Map<string, [AcceptedSum, ...AcceptedSum[]]>();
  for (const sum of sums) {
    const key = [...keys(sum), sum.settlement_currency].join('\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sum]);
    else group.push(sum);
  }
  return [...groups].sort(([a], [b]) => byBytes(a, b)).map(([, group]) => group);
}

function addUp(group: Group): MoneySums {
  const moved = group.filter(isMoved);
  const failed = group.filter((sum) => !isMoved(sum));
  const ofType = (type: string) => moved.filter((sum) => sum.reconciliation_type === type);
  const ofPayments = moved.filter((sum) => sum.reconciliation_type !== 'FEE');
  const gross = added(ofType('SETTLED').filter(isPos), grossAmount);
  const refunds = added(ofType('SETTLED').filter(isNeg), grossAmount);
  const chargebacks = -incoming(ofType('CHARGEBACK'));
  const reversals = incoming(ofType('CHARGEBACK REVERSAL'));
  const feesDeducted = added(ofPayments, deductedFee);
  const feesCharged = added(ofPayments, (sum) => (sum.fee_place === 0 ? BigInt(sum.settlement_fee) : 0n));
  const feeRecords = -incoming(ofType('FEE'));
  const fees = feesDeducted + feesCharged + feeRecords;
  return {
    currency: group[0].settlement_currency,
    records: countOf(moved),
    gross,
    refunds,
    chargebacks,
    reversals,
    fees,
    net: gross - refunds - chargebacks + reversals - fees,
    feesDeducted,
    feesCharged,
    feeRecords,
    failed: {
      count: countOf(failed),
      pos: added(failed.filter(isPos), statedAmount),
      neg: added(failed.filter(isNeg), statedAmount),
    },
  };
}

const isMoved = (sum: AcceptedSum) => sum.settlement_status !== 'FAILED';
const isPos = (sum: AcceptedSum) => sum.cashflow === 'POS';
const isNeg = (sum: AcceptedSum) => !isPos(sum);
const statedAmount = (sum: AcceptedSum) => BigInt(sum.settlement_amount);
const deductedFee = (sum: AcceptedSum) => BigInt(sum.fee_place) * BigInt(sum.settlement_fee);

/** SettlementAmount as it would be without the fee that it contains. */
const grossAmount = (sum: AcceptedSum) =>
  statedAmount(sum) + (isPos(sum) ? deductedFee(sum) : -deductedFee(sum));

/** POS less NEG. */
const incoming = (sums: readonly AcceptedSum[]) =>
  added(sums, (sum) => (isPos(sum) ? grossAmount(sum) : -grossAmount(sum)));

function added(sums: readonly AcceptedSum[], amount: (sum: AcceptedSum) => bigint): bigint {
  return sums.reduce((total, sum) => total + amount(sum), 0n);
}

function countOf(sums: readonly AcceptedSum[]): number {
  return sums.reduce((count, sum) => count + sum.count, 0);
}
