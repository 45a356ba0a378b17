import type { Fragment, Tx } from '../fragment.js';
import { hasRemovedRecords } from '../removed-records.js';

/**
 * What removed records did to other deliveries stays, although nothing that is stored does it any more.
 *
 * Reads `deliveries` and `carriers`, and adds to `uncounted_deliveries`.
 */
export async function keepUncounted(tx: Tx): Promise<void> {
  if (!(await hasRemovedRecords(tx))) return;
  await keepReplaced(tx);
  await forgetReplacedSettlements(tx);
  await keepWaiting(tx);
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

/** The removed settlement that is replaced in this way counts no longer. */
async function forgetReplacedSettlements(tx: Tx): Promise<void> {
  await tx`
    delete from removed_settlements h using deliveries d, uncounted_records u
    where u.file_id = d.file_id and u.line = d.line and u.reason = 'SUPERSEDED'
      and h.file_id = u.other_file_id and h.line = u.other_line and h.file_id > d.file_id and ${replacesAgain(tx)}`;
}

/** Whether delivery `d` came again after the removed record `h`, from a source with `corrections: replace`. */
const replacesAgain = (tx: Tx): Fragment => tx`(d.mode = 'replace' and exists (select from carriers c
        where c.file_id = d.file_id and c.line = d.line and c.by_file_id > h.file_id))`;

/**
 * A delivery that was compared with a record which is removed now, and waited for a decision, still waits: its finding
 * was accepted. The exception: its source says `corrections: add`.
 */
async function keepWaiting(tx: Tx): Promise<void> {
  await tx`
    insert into uncounted_deliveries
    select d.file_id, d.line, 'REDELIVERED', u.other_file_id, u.other_line from deliveries d
    cross join lateral (select u.other_file_id, u.other_line from uncounted_records u
      where u.file_id = d.file_id and u.line = d.line and u.reason = 'REDELIVERED' offset 0) u
    join settlement_files f on f.id = u.other_file_id and f.status = 'retired'
    where d.decision is null and d.mode <> 'add' and ${counts(tx)}`;
}

/** Whether delivery `d` counts, as far as stored records say. */
const counts = (tx: Tx): Fragment => tx`not exists (
      select from uncounted_deliveries x where x.file_id = d.file_id and x.line = d.line)`;
