import { fileIdArray, fileIdsInScope, recordsInScope, type RunScope } from '../db/run-scope.js';
import { mayHoldAgainst, type Check } from './discrepancies/check.js';
import { mayBeReversed } from './discrepancies/reversed-payments.js';
import type { Tx } from './fragment.js';
import { isMatchable, uniqueIdKey } from './matching-keys.js';

/**
 * Reads the records in scope and their payments once, and is done with most of them: a UniqueID finds one
 * payment or none, and where it finds one the two are at hand together, so every check of a single record is
 * made there and then. What is not `sound` is looked at again, and only that: reading a million rows twice
 * more, once to compare and once to word, cost as much as everything else together.
 *
 * Makes `new_matches`, with the record as it would be stored if no weaker key finds anything. `sound` is
 * cautious: true only if nothing can be wrong with the record by itself and its payment is settled by it. No
 * chargeback is sound, nor its reversal: their sums are looked at.
 */
export async function firstLook(tx: Tx, scope: RunScope, checks: readonly Check[]): Promise<void> {
  const anyWrong = checks
    .map((check) => mayHoldAgainst(tx, check))
    .reduce((all, more) => tx`${all} or ${more}`);
  const fileIds = await fileIdsInScope(tx, scope);
  // Says nothing new, but lets a re-run of a day read the results of its files instead of the month's.
  const ofTheirFiles = scope.kind === 'range' ? tx`and o.file_id = any (${fileIdArray(tx, fileIds)})` : tx``;
  await tx`create temp table new_matches on commit drop as
    select r.file_id, r.line, r.reconciliation_type, l.file_id is not null as pinned,
      case when l.file_id is null then m.status else o.status end as status,
      case when l.file_id is null then m.matched_by else o.matched_by end as matched_by,
      case when l.file_id is null then m.payment_key else o.payment_key end as payment_key,
      o.file_id is null as is_new, o.status as former_status, o.matched_by as former_matched_by,
      o.payment_key as former_payment_key,
      not (l.file_id is not null or r.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
        or (r.reconciliation_type = 'SETTLED' and p.amount_minor <> r.amount_minor)
        or ${anyWrong} or coalesce(${mayBeReversed(tx)}, false)) as sound
    from (${recordsInScope(tx, scope, fileIds)}) r
    left join record_matches o on o.file_id = r.file_id and o.line = r.line ${ofTheirFiles}
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line
    left join payments p on ${uniqueIdKey(tx)} and ${isMatchable(tx)}
    cross join lateral (select r.file_id, r.line, p.key as payment_key,
      (case when p.key is not null then 'UNIQUE_ID' end)::matched_by as matched_by,
      (case when p.key is not null then 'MATCHED' when ${isMatchable(tx)} then 'NOT_MATCHED'
        else 'NOT_APPLICABLE' end)::matching_status as status) m
    cross join lateral (select null::bigint as payment_key) v`;
  // The few that are not sound are asked for by every step that follows.
  await tx`create index on pg_temp.new_matches (file_id, line) where not sound`;
  await tx`analyze new_matches`;
}
