import { isDivided } from '../../db/shards/is-divided.js';
import { paymentsWithKeys, rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import type { ChargebackBooking } from '../../payment-core/index.js';
import type { RunId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import { loadCore } from '../chargebacks/load-core.js';
import { emptyBookings } from '../manual-links/release-chargebacks.js';
import { releaseRemovedLinks } from '../chargebacks/removed-chargebacks.js';
import { hasRemovedRecords } from '../removed-records.js';
import { inheritLinks, removeInheritedLinks } from './inherit-links.js';
import { releaseReversalsElsewhere } from './release-reversals-elsewhere.js';

/** Bookings per call: limits the memory and does not change the result. */
const batchSize = 5_000;

/**
 * Switches the chargeback links of the changed records (design 4.8): the link of a record that does not count is
 * inactive and its booking in the payment core has the amount 0, so that no money is charged back. When the record
 * counts again, link and booking get their former values; an id that another record has taken meanwhile stays with that
 * record. A reversal whose chargeback was taken in this way waits for a chargeback again, as one that never had any.
 *
 * The id of a superseded record passes to the record that supersedes it, with its booking. If that record is matched to
 * another payment, a reversal of the former payment waits for a chargeback too.
 *
 * Reads `changed_records` and `new_matches`, makes `changed_links`.
 *
 * @returns whether there was any such link
 */
export async function activateLinks(tx: Tx, runId: RunId): Promise<boolean> {
  const hasRemoved = await hasRemovedRecords(tx);
  await tx`create temp table changed_links on commit drop as
    select l.file_id, l.line, l.kind, l.chargeback_id, l.booking_id, l.payment_key, c.counts
    from changed_records c join chargeback_links l on l.file_id = c.file_id and l.line = c.line`;
  if (hasRemoved) await addReplacedLinks(tx);
  await tx`create index on pg_temp.changed_links (booking_id)`;
  await tx`analyze changed_links`;
  await removeInheritedLinks(tx);
  const inherited = await inheritLinks(tx);
  const [any] = await tx`select from changed_links limit 1`;
  if (any === undefined && !inherited) return false;
  await tx`update chargeback_links set active = false
    where ctid = any (${linksOf(tx, tx`select file_id, line from changed_links where not counts`)}) and active`;
  if (hasRemoved) await releaseForCounting(tx);
  if (inherited) await storeInherited(tx, runId);
  const returning = tx`
      select distinct on (c.chargeback_id, c.kind) c.file_id, c.line from changed_links c
      where c.counts and not exists (select from chargeback_links taken
        where taken.chargeback_id = c.chargeback_id and taken.kind = c.kind and taken.active)
      order by c.chargeback_id, c.kind, c.file_id, c.line`;
  await tx`update chargeback_links set active = true where ctid = any (${linksOf(tx, returning)})`;
  await forgetTaken(tx);
  const hasMoved = await releaseReversalsElsewhere(tx);
  await amendBookings(tx);
  if (hasRemoved) await emptyBookings(tx, tx`changed_links`);
  if (hasMoved) await emptyBookings(tx, tx`moved_reversals`);
  return true;
}

/**
 * The addresses of the links at some places. Each is looked up: as a join, each was compared with all links if the
 * planner expected few of them.
 *
 * @param places a select of `file_id` and `line`
 */
const linksOf = (tx: Tx, places: Fragment): Fragment => tx`array(
      select l.ctid from (${places}) c
      cross join lateral (select l.ctid from chargeback_links l
        where l.file_id = c.file_id and l.line = c.line offset 0) l)`;

/** Adds the links of removed records that a changed record replaces: these records count no longer. */
async function addReplacedLinks(tx: Tx): Promise<void> {
  await tx`
    insert into changed_links
    select l.file_id, l.line, l.kind, l.chargeback_id, l.booking_id, l.payment_key, false
    from changed_records c
    join uncounted_records u on u.other_file_id = c.file_id and u.other_line = c.line and u.reason = 'SUPERSEDED'
    join settlement_files f on f.id = u.file_id and f.status = 'retired'
    join chargeback_links l on l.file_id = u.file_id and l.line = u.line and l.active`;
}

/** What removed records have of the ids that records get now: these count, and so the removed ones do not. */
async function releaseForCounting(tx: Tx): Promise<void> {
  await releaseRemovedLinks(
    tx,
    tx`select booking_id from changed_links where counts union select booking_id from inherited_links`,
  );
}

/**
 * Of several reversals that inherit a chargeback, only the first has it at once: whether enough of it is left for the
 * others is decided when reversals are linked.
 */
async function storeInherited(tx: Tx, runId: RunId): Promise<void> {
  await tx`insert into chargeback_links (file_id, line, kind, chargeback_id, booking_id, payment_key, run_id)
    select distinct on (i.chargeback_id, i.kind) i.file_id, i.line, i.kind, i.chargeback_id, i.booking_id,
      i.payment_key, ${runId}::integer
    from inherited_links i
    where not exists (select from chargeback_links taken
      where taken.chargeback_id = i.chargeback_id and taken.kind = i.kind and taken.active)
    order by i.chargeback_id, i.kind, i.file_id, i.line`;
  await tx`insert into changed_links select file_id, line, kind, chargeback_id, booking_id, payment_key, true
    from inherited_links`;
}

/**
 * Removes the links of reversals that count again while another reversal has their chargeback: they wait for one. Makes
 * `former_ids`, with the ids and bookings that they had and those that others would have inherited, because something
 * may be left of these chargebacks. A booking that another record has is null: all that are held are read once, because
 * the planner may look each of them up in the wrong index.
 */
async function forgetTaken(tx: Tx): Promise<void> {
  await tx`create temp table former_ids (file_id integer, line integer, chargeback_id text collate "C",
    booking_id text collate "C", primary key (file_id, line)) on commit drop`;
  const counting = tx`select file_id, line from changed_links where counts and kind = 'CHARGEBACK REVERSAL'`;
  await tx`
    with forgotten as (
      delete from chargeback_links l where l.ctid = any (${linksOf(tx, counting)}) and not l.active
      returning l.file_id, l.line, l.chargeback_id, l.booking_id
    ), former as (
      select file_id, line, chargeback_id, booking_id from forgotten
      union
      select i.file_id, i.line, i.chargeback_id, i.booking_id from inherited_links i
      where i.kind = 'CHARGEBACK REVERSAL'
        and not exists (select from chargeback_links l where l.file_id = i.file_id and l.line = i.line)
    ), held as (
      select booking_id from former intersect select booking_id from chargeback_links where active
    )
    insert into former_ids
    select file_id, line, chargeback_id,
      case when rank = 1 and booking_id not in (select booking_id from held) then booking_id end
    from (select *, row_number() over (partition by booking_id order by file_id, line) as rank from former) f`;
  await tx`analyze former_ids`;
}

async function amendBookings(tx: Tx): Promise<void> {
  const { amendChargebacks } = await loadCore();
  let last = '';
  for (;;) {
    const bookings = await nextBookings(tx, last);
    const newest = bookings.at(-1);
    if (newest === undefined) return;
    await amendChargebacks(tx, bookings);
    last = newest.id;
  }
}

/**
 * The values of each booking of the changed links: those of its active link, or the amount 0 without one. Of inactive
 * links, one whose record is still stored gives them. If a removed record has the active link, nothing changes.
 */
async function nextBookings(tx: Tx, after: string): Promise<ChargebackBooking[]> {
  const isOnShards = await isDivided(tx);
  const links = tx`
      select distinct on (l.booking_id) l.* from changed_links c
      join chargeback_links l on l.booking_id = c.booking_id
      join settlement_files f on f.id = l.file_id
      where c.booking_id > ${after} collate "C"
      order by l.booking_id, l.active desc, f.status = 'retired', l.file_id, l.line
      limit ${batchSize}`;
  const places = tx`select file_id, line from (${links}) l`;
  const keys = tx`select payment_key from (${links}) l`;
  return tx<ChargebackBooking[]>`
    select l.booking_id as id, case l.kind when 'CHARGEBACK' then 'CB' else 'CR' end as "paymentType",
      case l.kind when 'CHARGEBACK' then p.id else l.chargeback_id end as "referencedPaymentId",
      case when l.active then r.amount_minor else 0 end as "amountMinor", r.currency, r.reason_code as "reasonCode",
      r.settlement_date || 'T00:00:00Z' as "bookedAt"
    from (${links}) l
    join ${rowsAtPlaces(tx, isOnShards, 'settlement_records', places)} r on r.file_id = l.file_id and r.line = l.line
    join ${paymentsWithKeys(tx, isOnShards, keys)} p on p.key = l.payment_key
    order by l.booking_id`;
}
