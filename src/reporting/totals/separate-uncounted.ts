import type { AcceptedSum } from './accepted-sum.js';

/**
 * Takes the records that do not count out of the sums of all records of their files.
 *
 * @param all sums of records, as if each of them counted
 * @param rest sums of those of the records that do not count, and of repeated rows, which are not in `all`
 * @returns the sums of the records that count, and the rest
 */
export function separateUncounted(all: readonly AcceptedSum[], rest: readonly AcceptedSum[]): AcceptedSum[] {
  const uncounted = new Map(rest.filter((sum) => !sum.known).map((sum) => [keyOf(sum), sum]));
  const counted = all.map((sum) => less(sum, uncounted.get(keyOf(sum)))).filter((sum) => sum.count > 0);
  return [...counted, ...rest];
}

/** What the sums are grouped by. */
function keyOf(sum: AcceptedSum): string {
  return [
    sum.file_id,
    sum.merchant_account_id,
    sum.settlement_currency,
    sum.reconciliation_type,
    sum.cashflow,
    sum.currency,
    sum.settlement_status,
    sum.settlement_date,
    sum.payment_type,
    sum.fee_place,
  ].join('\n');
}

function less(sum: AcceptedSum, part: AcceptedSum | undefined): AcceptedSum {
  if (part === undefined) return sum;
  return {
    ...sum,
    lines: sum.lines - part.lines,
    count: sum.count - part.count,
    settlement_amount: difference(sum.settlement_amount, part.settlement_amount),
    amount: difference(sum.amount, part.amount),
    settlement_fee: difference(sum.settlement_fee, part.settlement_fee),
  };
}

function difference(sum: string, part: string): string {
  return (BigInt(sum) - BigInt(part)).toString();
}
