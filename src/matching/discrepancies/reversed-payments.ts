import type { Fragment, Tx } from '../fragment.js';

/** The given payments (a select of keys) whose successful RV add up to their amount or more. */
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
 * Whether any payment reverses payment `p`, in part or in full, which is cheap to find out: one small partial index
 * (payments_reversals) is read once, instead of a look-up per record.
 */
export function mayBeReversed(tx: Tx): Fragment {
  return tx`(p.id in (select rv.referenced_payment_id from payments rv
    where rv.payment_type = 'RV' and rv.outcome = 'SUCCESS' and rv.referenced_payment_id is not null))`;
}

/** {@link mayBeReversed} on a shard: reads the list that the home server makes for the shards (`partly_reversed`). */
export function isPartlyReversed(tx: Tx): Fragment {
  return tx`(p.id in (select id from partly_reversed))`;
}
