import type { RunId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import { hasRemovedRecords } from '../removed-records.js';

/**
 * What removed records did to other deliveries stays, although nothing that is stored does it any more. A removed
 * record that another delivery replaces now counts no longer.
 *
 * Reads `deliveries` and `carriers`, and adds to `uncounted_deliveries`; stores at once which removed records do not
 * count.
 */
export async function keepUncounted(tx: Tx, runId: RunId): Promise<void> {
  if (!(await hasRemovedRecords(tx))) return;
  await keepReplaced(tx);
  await keepWaiting(tx);
  await storeReplaced(tx, runId);
}

/**
 * A chargeback, reversal or settlement that counted when it was removed still counts, so the delivery that it replaced
 * still does not. The exception: its source says `corrections: replace`, and has brought it again since.
 */
async function keepReplaced(tx: Tx): Promise<void> {
  await tx`
    insert into uncounted_deliveries
    select d.file_id, d.line, 'SUPERSEDED', h.file_id, h.line from deliveries d
    cross join lateral (
      select l.file_id, l.line from chargeback_links own
        join chargeback_links l on l.booking_id = own.booking_id and l.active
        where own.file_id = d.file_id and own.line = d.line
      union all
      select l.file_id, l.line from uncounted_records u
        join chargeback_links l on l.file_id = u.other_file_id and l.line = u.other_line and l.active
        where u.file_id = d.file_id and u.line = d.line and u.reason = 'SUPERSEDED'
      union all
      select s.file_id, s.line from uncounted_records u
        join removed_settlements s on s.file_id = u.other_file_id and s.line = u.other_line
        where u.file_id = d.file_id and u.line = d.line and u.reason = 'SUPERSEDED'
      limit 1) h
    join settlement_files f on f.id = h.file_id and f.status = 'retired'
    where h.file_id > d.file_id
      and ${counts(tx)} and not ${replacesAgain(tx)}`;
}

/** Whether delivery `d` came again after the removed record `h`, from a source with `corrections: replace`. */
const replacesAgain = (tx: Tx): Fragment => tx`(d.mode = 'replace' and exists (select from carriers c
        where c.file_id = d.file_id and c.line = d.line and c.by_file_id > h.file_id))`;

/** A delivery that waited for a decision beside a record which is removed now still waits: its finding was accepted. */
async function keepWaiting(tx: Tx): Promise<void> {
  await tx`
    insert into uncounted_deliveries
    select d.file_id, d.line, 'REDELIVERED', h.file_id, h.line from ${besideRemoved(tx)}
    where d.decision is null and d.mode not in ('add', 'replace')`;
}

/**
 * Stores which removed records a delivery replaces now:
 *
 * - one that had replaced the delivery, which came again;
 * - one beside which the delivery waited, until somebody decided `supersede` or the source said `corrections: replace`;
 * - a settlement that is back and was corrected: its new record does not count either.
 */
async function storeReplaced(tx: Tx, runId: RunId): Promise<void> {
  await tx`
    insert into uncounted_records (file_id, line, reason, other_file_id, other_line, run_id)
    select h.file_id, h.line, 'SUPERSEDED', h.by_file_id, h.by_line, ${runId} from (
      select h.file_id, h.line, d.file_id as by_file_id, d.line as by_line from deliveries d
      join lateral (select u.other_file_id as file_id, u.other_line as line from uncounted_records u
        where u.file_id = d.file_id and u.line = d.line and u.reason = 'SUPERSEDED' offset 0) h on h.file_id > d.file_id
      where ${replacesAgain(tx)}
      union
      select h.file_id, h.line, d.file_id, d.line from ${besideRemoved(tx)}
      where coalesce(d.decision, d.mode) in ('supersede', 'replace')
      union
      select s.file_id, s.line, u.other_file_id, u.other_line from delivery_candidates c
      cross join lateral (select s.* from removed_settlements s
        where s.file_id = c.file_id and s.line = c.line offset 0) s
      join delivery_members m on m.fingerprint = s.fingerprint and m.occurrence = s.occurrence
      join uncounted_deliveries u on u.file_id = m.file_id and u.line = m.line and u.reason = 'SUPERSEDED') h
    join settlement_files f on f.id = h.file_id and f.status = 'retired'
    on conflict do nothing`;
}

/** The deliveries `d` that wait beside a removed record `h`, and count as far as stored records say. */
function besideRemoved(tx: Tx): Fragment {
  return tx`deliveries d
    cross join lateral (select u.other_file_id as file_id, u.other_line as line from uncounted_records u
      where u.file_id = d.file_id and u.line = d.line and u.reason = 'REDELIVERED' and ${counts(tx)} offset 0) h
    join settlement_files f on f.id = h.file_id and f.status = 'retired'`;
}

/** Whether delivery `d` counts, as far as stored records say. */
const counts = (tx: Tx): Fragment => tx`not exists (
      select from uncounted_deliveries x where x.file_id = d.file_id and x.line = d.line)`;
