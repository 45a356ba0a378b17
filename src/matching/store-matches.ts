import type { Tx } from './fragment.js';

/**
 * Writes the results that changed. Rows that stay are left out of the statement: a conflicting row is
 * locked, and so rewritten in part, even when the update then finds nothing to do.
 */
export async function storeMatches(tx: Tx, runId: number): Promise<void> {
  await tx`
    insert into record_matches (file_id, line, status, matched_by, payment_key, run_id)
    select file_id, line, status, matched_by, payment_key, ${runId} from new_matches where changed
    on conflict (file_id, line) do update set status = excluded.status,
      matched_by = excluded.matched_by, payment_key = excluded.payment_key, run_id = excluded.run_id`;
}

/** The payments between which a record could not be decided; those of a decided record go. */
export async function storeCandidates(tx: Tx): Promise<void> {
  await tx`
    delete from match_candidates c using new_matches n
    where c.file_id = n.file_id and c.line = n.line and not (n.status = 'MULTIPLE_MATCHES' and exists (
      select from kept_hits k
      where k.file_id = c.file_id and k.line = c.line and k.payment_key = c.payment_key))`;
  await tx`
    insert into match_candidates (file_id, line, payment_key)
    select k.file_id, k.line, k.payment_key from kept_hits k join new_matches n using (file_id, line)
    where n.status = 'MULTIPLE_MATCHES'
    on conflict do nothing`;
}
