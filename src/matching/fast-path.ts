import { fileIdArray, fileIdsInScope, recordsInScope, type RunScope } from '../db/run-scope.js';
import { mayHoldAgainst, type Check } from './discrepancies/check.js';
import { deliveryKey } from './deliveries/delivery-key.js';
import { mayBeReversed } from './discrepancies/reversed-payments.js';
import type { FileId } from '../values/ids.js';
import type { Fragment, Tx } from './fragment.js';
import { sampleRows } from './refresh-statistics.js';
import { isMatchable, uniqueIdKey } from './matching-keys.js';

/**
 * The fast path: reads the records in scope and their payments once, which is enough for most of them. A UniqueID finds
 * one payment or none, and where it finds one, the record and the payment are joined already, so every check of a
 * single record is made in the same pass. Only the records that need a review are read again: reading a million rows
 * twice more, once to compare and once to write messages, cost as much as everything else together.
 *
 * Makes `new_matches`, with the result of each record as it would be stored if no weaker key finds anything.
 * `needs_review` is cautious: false only if no check can find anything wrong with the record and it settles its payment
 * in full. Every chargeback and every reversal needs a review, because their sums are checked.
 *
 * @param extraFiles those of `extra_records`
 * @param decided whether there are `redecided_records`: those do not keep the payment of their chargeback
 */
export async function takeFastPath(
  tx: Tx,
  scope: RunScope,
  checks: readonly Check[],
  extraFiles: readonly FileId[],
  decided: boolean,
): Promise<void> {
  const fileIds = await fileIdsInScope(tx, scope);
  // Redundant, but with it a re-run of a day reads the results of its files instead of the month's.
  const ofTheirFiles =
    scope.kind === 'range' ? tx`and o.file_id = any (${fileIdArray(tx, [...fileIds, ...extraFiles])})` : tx``;
  const extra =
    extraFiles.length === 0
      ? tx``
      : tx`union all select r.* from extra_records e
        join settlement_records r on r.file_id = e.file_id and r.line = e.line`;
  const records = tx`${recordsInScope(tx, scope, fileIds)} ${extra}`;
  await tx`create temp table new_matches on commit drop as
    ${fastPath(tx, { records, ofTheirFiles, decided }, checks)}`;
  // All later steps read the few records with needs_review.
  await tx`create index on pg_temp.new_matches (file_id, line) where needs_review`;
  await sampleRows(tx, 9000, tx`new_matches`);
}

/** The same for `late_records`, which were found meanwhile: adds them to `new_matches`. */
export async function takeLateRecords(tx: Tx, checks: readonly Check[], decided: boolean): Promise<void> {
  const records = tx`select r.* from late_records e
    join settlement_records r on r.file_id = e.file_id and r.line = e.line`;
  await tx`insert into new_matches ${fastPath(tx, { records, ofTheirFiles: tx``, decided }, checks)}`;
}

interface FastPathInput {
  readonly records: Fragment;
  readonly ofTheirFiles: Fragment;
  readonly decided: boolean;
}

function fastPath(
  tx: Tx,
  { records, ofTheirFiles, decided }: FastPathInput,
  checks: readonly Check[],
): Fragment {
  const notRedecided = decided
    ? tx`and (r.file_id, r.line) not in (select file_id, line from redecided_records)`
    : tx``;
  // One line per check, named in the statement, so that the statement can be read where it is logged.
  const anyCheck = checks.map((check) => tx`or ${codeComment(tx, check)} ${mayHoldAgainst(tx, check)} `);
  return tx`
    select r.file_id, r.line, r.reconciliation_type, l.file_id is not null as pinned,
      case when l.file_id is null then m.status else 'MATCHED' end as status,
      case when l.file_id is null then m.matched_by else o.matched_by end as matched_by,
      case when l.file_id is not null then o.matched_through end as matched_through,
      case when l.file_id is null then m.payment_key else l.payment_key end as payment_key,
      o.file_id is null as is_new, o.status as former_status, o.matched_by as former_matched_by,
      o.matched_through as former_matched_through, o.payment_key as former_payment_key,
      (l.file_id is not null
        or r.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
        or coalesce(r.reconciliation_type = 'SETTLED' and p.amount_minor <> r.amount_minor, false)
        or coalesce(${mayBeReversed(tx)}, false)
        or coalesce(m.status = 'NOT_APPLICABLE' and r.settlement_tx_id <> '' and ${deliveryKey(tx)} is not null, false)
        ${anyCheck}) as needs_review
    from (${records}) r
    left join record_matches o on o.file_id = r.file_id and o.line = r.line ${ofTheirFiles}
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line ${notRedecided}
    left join payments p on ${uniqueIdKey(tx)} and ${isMatchable(tx)}
    cross join lateral (select r.file_id, r.line, p.key as payment_key,
      (case when p.key is not null then 'UNIQUE_ID' end)::matched_by as matched_by,
      (case when p.key is not null then 'MATCHED' when ${isMatchable(tx)} then 'NOT_MATCHED'
        else 'NOT_APPLICABLE' end)::matching_status as status) m
    cross join lateral (select null::bigint as payment_key) v`;
}

function codeComment(tx: Tx, { code }: Check): Fragment {
  return tx.unsafe(`/* ${code} */`);
}
