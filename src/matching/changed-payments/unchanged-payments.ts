import { unlessCrowded } from '../crowded-values.js';
import type { Fragment, Tx } from '../fragment.js';
import { isCandidate, type Identifier } from '../matching-keys.js';

/**
 * The payments `p` with a value of an identifier that are not in `changed_payments`, as {@link unlessCrowded} selects
 * them. A value that more than the limit of these have was a placeholder before the change and is one now, so nothing
 * depends on the change.
 */
export function unchangedPayments(tx: Tx, identifier: Identifier, value: Fragment, limit: number): Fragment {
  return unlessCrowded(
    tx,
    tx`select p.key, p.id, p.referenced_payment_id from payments p
        where p.${tx(identifier)} = ${value} and ${isCandidate(tx)}
          and p.key not in (select key from changed_payments)`,
    limit,
  );
}
