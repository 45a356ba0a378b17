import type { Fragment, Reader } from '../db/client.js';
import type { DiscrepancyCode } from './discrepancy-codes.js';

/** The finding that compares settlement amounts. */
const ofSettlement: DiscrepancyCode = 'FX_MISMATCH';
/**
 * The finding that compares two records, whose currency may not be the payment's. All others compare with the payment.
 */
const ofRecords: DiscrepancyCode = 'RECORD_REDELIVERED';

/**
 * The currency of a finding's difference (design 4.6), in SQL over `d` (discrepancies), its record `r` and its payment
 * `p`, either of which may be absent. Null for a finding that states no difference.
 */
export function differenceCurrency(tx: Reader): Fragment {
  return tx`(case when d.difference_minor is null then null else ${currencyOfDifferences(tx)} end)`;
}

/**
 * The currency in which a finding states differences, whether it states one now or did in an earlier run.
 *
 * @param r the record
 */
export function currencyOfDifferences(tx: Reader, r: Fragment = tx`r`): Fragment {
  return tx`(case when d.code = ${ofSettlement} then ${r}.settlement_currency
    when d.code = ${ofRecords} then ${r}.currency
    else coalesce(p.currency, ${r}.currency) end)`;
}

/**
 * The money that a finding is about, in SQL over the same three tables: the difference where it states one, otherwise
 * the amount of its record or payment. The currency is always that of the amount next to it.
 */
export function statedMoney(tx: Reader): { readonly amountMinor: Fragment; readonly currency: Fragment } {
  return {
    amountMinor: tx`coalesce(d.difference_minor, r.amount_minor, p.amount_minor)`,
    currency: tx`coalesce(${differenceCurrency(tx)}, r.currency, p.currency)`,
  };
}
