import { isDivided } from '../../db/shards/is-divided.js';
import { rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import { forgetKeys } from '../forget-keys.js';
import { hasRemovedRecords } from '../removed-records.js';
import type { Fragment, Tx } from '../fragment.js';
import { ownBookingId, ownBookingIdOfKind } from '../chargebacks/own-booking-id.js';

/**
 * Removes the links by which a record has the chargeback id of the record that it superseded, where that record counts
 * again or this one waits for a decision: the id returns to the former record. Of two records that both have it from a
 * third one, the earlier keeps it. Without its link, a record that does not count has no key any more: matching looks
 * for it again when it counts again.
 *
 * Reads `changed_records` and `changed_links`, makes `removed_links`.
 */
export async function removeInheritedLinks(tx: Tx): Promise<void> {
  const [any] = await tx`select from changed_links limit 1`;
  if (any === undefined) return;
  const records = rowsAtPlaces(
    tx,
    await isDivided(tx),
    'settlement_records',
    tx`select file_id, line from changed_records union select file_id, line from changed_links`,
  );
  await tx`create temp table removed_links (file_id integer, line integer) on commit drop`;
  await tx`
    with removed as (
      delete from chargeback_links l using changed_records c, ${records} r
      where l.file_id = c.file_id and l.line = c.line and r.file_id = c.file_id and r.line = c.line
        and l.booking_id <> ${ownBookingIdOfKind(tx, tx`r`)}
        and (
          exists (select from uncounted_records u
            where u.file_id = l.file_id and u.line = l.line and u.reason = 'REDELIVERED')
          or exists (select from changed_links former
            join ${records} o on o.file_id = former.file_id and o.line = former.line
            where former.booking_id = l.booking_id and former.counts
              and (former.file_id, former.line) <> (l.file_id, l.line)
              and (former.booking_id = ${ownBookingIdOfKind(tx, tx`o`)}
                or (former.file_id, former.line) < (l.file_id, l.line))))
      returning l.file_id, l.line
    )
    insert into removed_links select file_id, line from removed`;
  await forgetKeys(tx, tx`select file_id, line from removed_links`);
  await tx`delete from changed_links c where not exists (
    select from chargeback_links l where l.file_id = c.file_id and l.line = c.line)`;
}

/**
 * Finds the chargeback ids that are passed on (design 4.8): a record in scope that superseded another, directly or
 * through others, takes the id of the nearest that has one. A reversal that FAILED returned no money and takes none.
 * One that is matched to another payment takes none either: it does not reverse a chargeback of the former payment
 * (design 4.5). Nor does one whose own id is still held by what was removed of it: it was there before the record that
 * it supersedes now, and gets its own id back.
 *
 * Reads `new_matches` and `review_records`.
 *
 * Makes `inherited_links`.
 *
 * @returns whether there are any
 */
export async function inheritLinks(tx: Tx): Promise<boolean> {
  const withoutOwn = (await hasRemovedRecords(tx)) ? tx`and not ${removedRecordHasId(tx)}` : tx``;
  await tx`
    create temp table inherited_links on commit drop as
    with recursive former as (
      select n.file_id, n.line, n.payment_key, u.file_id as former_file_id, u.line as former_line, 1 as steps
      from new_matches n
      join review_records r on r.file_id = n.file_id and r.line = n.line
      join uncounted_records u on u.other_file_id = n.file_id and u.other_line = n.line and u.reason = 'SUPERSEDED'
      where n.needs_review and n.status = 'MATCHED' and not n.pinned
        and n.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
        and (n.reconciliation_type = 'CHARGEBACK' or r.settlement_status = 'SUCCESS')
        and not exists (select from chargeback_links l where l.file_id = n.file_id and l.line = n.line)
        and not exists (select from uncounted_records w where w.file_id = n.file_id and w.line = n.line)
        ${withoutOwn}
      union all
      select f.file_id, f.line, f.payment_key, u.file_id, u.line, f.steps + 1
      from former f
      join uncounted_records u on u.other_file_id = f.former_file_id and u.other_line = f.former_line
        and u.reason = 'SUPERSEDED'
      where not exists (select from chargeback_links l
        where l.file_id = f.former_file_id and l.line = f.former_line)
    )
    select distinct on (f.file_id, f.line) f.file_id, f.line, l.kind, l.chargeback_id, l.booking_id, f.payment_key
    from former f join chargeback_links l on l.file_id = f.former_file_id and l.line = f.former_line
    where l.kind = 'CHARGEBACK' or l.payment_key = f.payment_key and not exists (
      select from chargeback_links moved where moved.chargeback_id = l.chargeback_id and moved.kind = 'CHARGEBACK'
        and moved.active and moved.payment_key <> l.payment_key)
    order by f.file_id, f.line, f.steps`;
  const [any] = await tx`select from inherited_links limit 1`;
  return any !== undefined;
}

/** Whether the own id of record `r`, or the one that it had before, is held by the removed record that it was. */
function removedRecordHasId(tx: Tx): Fragment {
  const own = tx`case r.reconciliation_type when 'CHARGEBACK' then ${ownBookingId(tx, 'CHARGEBACK')}
    else ${ownBookingId(tx, 'CHARGEBACK REVERSAL')} end`;
  const isHeldBy = (
    id: Fragment,
  ) => tx`exists (select from chargeback_links o join settlement_files f on f.id = o.file_id
    where ${id} = ${own} and o.active and f.status = 'retired')`;
  return tx`(${isHeldBy(tx`o.booking_id`)} or ${isHeldBy(tx`o.own_booking_id`)})`;
}
