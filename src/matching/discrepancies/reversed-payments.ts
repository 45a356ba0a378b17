import type { Fragment, Tx } from '../fragment.js';

/** Those of the given payments (a select of keys) whose successful RV sum to their amount or more. */
export function fullyReversed(tx: Tx, paymentKeys: Fragment): Fragment {
  return tx`
    select p.key as payment_key
    from payments p
    join payments rv on rv.referenced_payment_id = p.id and rv.payment_type = 'RV' and rv.outcome = 'SUCCESS'
      and rv.currency = p.currency
    where p.key in (${paymentKeys})
    group by p.key, p.amount_minor
    having sum(rv.amount_minor) >= p.amount_minor`;
}

/**
 * Whether anything at all reverses payment `p`: cheap, and true more often than it is reversed in full. One
 * small partial index (payments_reversals) is read, once, instead of a look-up per record.
 */
export function mayBeReversed(tx: Tx): Fragment {
  return tx`(p.id in (select rv.referenced_payment_id from payments rv
    where rv.payment_type = 'RV' and rv.outcome = 'SUCCESS' and rv.referenced_payment_id is not null))`;
}
