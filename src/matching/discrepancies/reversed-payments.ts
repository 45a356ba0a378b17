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
