import type { Tx } from '../fragment.js';

/**
 * Puts the links and unlinks of `manual_links` into `new_matches` (design 4.9): a linked record is MATCHED to the named
 * payment, whatever the keys find, and a record that UniqueID matched to a payment that it was unlinked from is tried
 * with the weaker keys. Such records need a review, so every check is made on them: the assessment still says what does
 * not fit.
 */
export async function applyManualLinks(tx: Tx): Promise<void> {
  await tx`
    update new_matches n set status = 'NOT_MATCHED', matched_by = null, matched_through = null, payment_key = null,
      needs_review = true
    from manual_links d
    where d.kind = 'unlink' and d.file_id = n.file_id and d.line = n.line and n.payment_key = d.payment_key`;
  await tx`
    update new_matches n set status = 'MATCHED', matched_by = 'MANUAL', matched_through = null,
      payment_key = d.payment_key, needs_review = true
    from manual_links d
    where d.kind = 'link' and d.file_id = n.file_id and d.line = n.line`;
}

/**
 * Notes in `applied_links` what the results are based on, once chargeback ids were released. A record that does not
 * count and keeps its id, because another one has it too, is left out: so it does not keep the payment of that id when
 * it counts again.
 */
export async function noteAppliedLinks(tx: Tx): Promise<void> {
  const isSettled = tx`(n.status <> 'NOT_APPLICABLE' or not exists (
      select from chargeback_links l where l.file_id = n.file_id and l.line = n.line offset 0))`;
  await tx`
    delete from applied_links a using redecided_records x, new_matches n
    where x.file_id = a.file_id and x.line = a.line and n.file_id = a.file_id and n.line = a.line and ${isSettled}`;
  await tx`
    insert into applied_links (file_id, line, kind, payment_key)
    select d.file_id, d.line, d.kind, d.payment_key from redecided_records x
    join manual_links d on d.file_id = x.file_id and d.line = x.line
    join new_matches n on n.file_id = x.file_id and n.line = x.line
    where ${isSettled}
    on conflict do nothing`;
}

/** Drops from a table of hits the payments that their records were unlinked from: a key does not find them. */
export async function dropUnlinked(tx: Tx, hits: 'key_hits' | 'family_hits'): Promise<void> {
  await tx`
    delete from ${tx(hits)} h using manual_links d
    where d.kind = 'unlink' and d.file_id = h.file_id and d.line = h.line and d.payment_key = h.payment_key`;
}
