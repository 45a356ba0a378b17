import type { Fragment, Tx } from '../../db/client.js';

/**
 * Whether the result over `m` (record_matches) is the payment that the record's own UniqueID names, in SQL; never null.
 * It is not where UniqueID names a relative of the payment (design 4.4).
 */
export function isFoundByOwnId(tx: Tx): Fragment {
  return tx`(m.status = 'MATCHED' and m.matched_by is not distinct from 'UNIQUE_ID' and m.matched_through is null)`;
}
