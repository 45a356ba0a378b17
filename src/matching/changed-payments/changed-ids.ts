import type { Fragment, Tx } from '../fragment.js';

/**
 * The ids of the payments that imports changed after that change, and of those to which they referred before: these are
 * no longer reversed by them, and no longer of their family. An id may be null.
 */
export function changedIds(tx: Tx, change: string): Fragment {
  return tx`select payment_id as id from payment_changes where id > ${change}::bigint
    union
    select old_value from payment_changes where id > ${change}::bigint and column_name = 'ReferencedPaymentId'`;
}

/** The columns of `payment_changes` that {@link changedIds} reads, for a copy of it. */
export const changedIdColumns =
  'id bigint, payment_id text collate "C", column_name text collate "C", old_value text collate "C"';
