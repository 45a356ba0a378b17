import type { Fragment, Tx } from '../fragment.js';

/**
 * Whether record `r`, which is matched, takes part in the sums of its payment: not while it waits for a decision about
 * two deliveries of it (design 4.6, RECORD_REDELIVERED). Only for a few records, because it looks up each of them: with
 * `offset 0`, since an anti-join compares each of them with all `uncounted_records` when few of these are expected.
 */
export function takesPart(tx: Tx): Fragment {
  return tx`not exists (select from uncounted_records u where u.file_id = r.file_id and u.line = r.line offset 0)`;
}
