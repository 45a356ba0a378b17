import { isDivided } from '../../db/shards/is-divided.js';
import { rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import { textArray, type Fragment, type Tx } from '../fragment.js';
import { ownBookingIdOfKind } from './own-booking-id.js';
import type { RemovedFiles } from '../removed-records.js';

/*
 * The chargeback links of records that `recon retire` or `recon purge` removed stay, and so do their bookings. A file
 * may bring such a record again, because its fingerprint was removed with it, and the reversal of a removed chargeback
 * may come years later.
 */

/** Notes the own ids of chargebacks and reversals that have the bookings of the records which they superseded. */
export async function noteOwnBookings(tx: Tx, { firstFileId, endFileId }: RemovedFiles): Promise<void> {
  const own = ownBookingIdOfKind(tx, tx`r`);
  await tx`
    update chargeback_links l set own_booking_id = ${own} from settlement_records r
    where l.file_id >= ${firstFileId} and l.file_id < ${endFileId}
      and r.file_id = l.file_id and r.line = l.line and l.booking_id <> ${own}`;
}

/**
 * The bookings that records had before they were removed, if these were not their own: they had superseded another
 * record. One that is delivered again has its former booking again, unless that record, or another one that is stored,
 * has it now.
 *
 * @param bookingIds a select of `booking_id`: the own ids of records that are about to get them
 * @returns own id → id of the former booking
 */
export async function formerBookings(tx: Tx, bookingIds: Fragment): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ own: string; former: string }[]>`
    select distinct on (o.booking_id) n.booking_id as own, o.booking_id as former from (${bookingIds}) n
    cross join lateral (select o.booking_id, o.active, o.file_id, o.line from chargeback_links o
      where o.own_booking_id = n.booking_id order by o.active desc, o.file_id desc, o.line desc limit 1) o
    where o.booking_id not in (${bookingIds})
      and not exists (select from chargeback_links h where h.booking_id = n.booking_id and h.active)
      and not exists (select from chargeback_links h join settlement_files f on f.id = h.file_id
        where h.booking_id = o.booking_id and h.active and f.status <> 'retired')
    order by o.booking_id, o.active desc, o.file_id desc, o.line desc`;
  return new Map(rows.map(({ own, former }) => [own, former]));
}

/** Gives chargebacks among `new_links` that were removed before the bookings that they had then. */
export async function takeFormerBookings(tx: Tx): Promise<void> {
  const former = await formerBookings(tx, tx`select booking_id from new_links`);
  if (former.size === 0) return;
  await tx`
    update new_links n set chargeback_id = x.former, booking_id = x.former
    from unnest(${textArray(tx, [...former.keys()])}, ${textArray(tx, [...former.values()])}) x (own, former)
    where n.booking_id = x.own`;
}

/**
 * Takes the id from removed records that are delivered again: they are the same records (design 4.3), so their bookings
 * have the same ids. A link that says which booking a record had stays, without effect.
 *
 * Makes `links_of_removed`.
 *
 * @param bookingIds a select of `booking_id`: those that records are about to get
 * @returns booking id → chargeback id that the removed record had with it
 */
export async function releaseRemovedLinks(
  tx: Tx,
  bookingIds: Fragment,
): Promise<ReadonlyMap<string, string>> {
  await tx`create temp table if not exists links_of_removed (booking_id text collate "C") on commit drop`;
  const released = await tx<{ booking: string; chargeback: string }[]>`
    with holders as (
      select o.file_id, o.line, o.own_booking_id is null as has_own from (${bookingIds}) n
      cross join lateral (select o.file_id, o.line, o.own_booking_id from chargeback_links o
        where o.booking_id = n.booking_id and o.active offset 0) o
      join settlement_files f on f.id = o.file_id and f.status = 'retired'
    ), released as (
      delete from chargeback_links l using holders x
      where x.has_own and l.file_id = x.file_id and l.line = x.line
      returning l.booking_id, l.chargeback_id
    ), former as (
      update chargeback_links l set active = false from holders x
      where not x.has_own and l.file_id = x.file_id and l.line = x.line
      returning l.booking_id, l.chargeback_id
    ), noted as (
      insert into links_of_removed select booking_id from released union all select booking_id from former
    )
    select booking_id as booking, chargeback_id as chargeback from released union all select * from former`;
  return new Map(released.map(({ booking, chargeback }) => [booking, chargeback]));
}

/**
 * Gives their own ids to records that have the id of a former record because they superseded it, when that record gets
 * an id and both count: its id returns to it (design 4.8). The former record was removed and is delivered again, or it
 * is a reversal that waited for a chargeback. A reversal still reverses the same chargeback.
 *
 * Reads `new_links` and adds their links to it.
 *
 * @param bookingIds a select of `booking_id`: those of new links; the links of removed records have been released
 */
export async function giveHoldersOwnIds(tx: Tx, bookingIds: Fragment): Promise<void> {
  await tx`create temp table former_holders on commit drop as
    select o.file_id, o.line, o.kind, o.chargeback_id, o.payment_key from (${bookingIds}) n
    cross join lateral (select o.* from chargeback_links o
      where o.booking_id = n.booking_id and o.active offset 0) o`;
  const [any] = await tx`select from former_holders limit 1`;
  if (any !== undefined) {
    await tx`delete from chargeback_links l using former_holders h where l.file_id = h.file_id and l.line = h.line`;
    const places = tx`select file_id, line from former_holders`;
    const own = ownBookingIdOfKind(tx, tx`r`);
    await tx`
      insert into new_links (file_id, line, kind, chargeback_id, booking_id, payment_key)
      select l.file_id, l.line, l.kind, case l.kind when 'CHARGEBACK' then ${own} else l.chargeback_id end, ${own},
        l.payment_key
      from former_holders l
      join ${rowsAtPlaces(tx, await isDivided(tx), 'settlement_records', places)} r
        on r.file_id = l.file_id and r.line = l.line
      order by l.file_id, l.line`;
  }
  await tx`drop table pg_temp.former_holders`;
}

/**
 * What the choice of an open chargeback and the sums of chargebacks need of the record of link `l`, as a join of `r`,
 * to be followed by its condition. If the record was removed, its booking has the amount, the currency and the day. One
 * that FAILED has a finding, which stays.
 */
export function recordOrBooking(tx: Tx): Fragment {
  return tx`join lateral (
      select r.amount_minor, r.currency, r.settlement_status, r.settlement_date, r.settlement_tx_id, r.fingerprint,
        r.occurrence, r.reconciliation_type, r.payment_type, false as is_removed
      from settlement_records r where r.file_id = l.file_id and r.line = l.line
      union all
      select b.amount_minor, b.currency, case when exists (select from discrepancies d
          where d.file_id = l.file_id and d.line = l.line and d.code = 'SETTLEMENT_FAILED')
          then 'FAILED' else 'SUCCESS' end,
        (b.requested_at at time zone 'UTC')::date, null, '00000000-0000-0000-0000-000000000000', l.line, l.kind, null,
        true
      from settlement_files f join payments b on b.id = l.booking_id
      where f.id = l.file_id and f.status = 'retired'
      limit 1) r`;
}

/**
 * What the sums of chargebacks need of the record of link `reversal`: `back`, with its condition, for a join. If the
 * record was removed, its booking has the amount and the currency. Version 0.1.0 linked reversals that FAILED too: they
 * returned nothing.
 *
 * @param hasRemoved whether the records of any file were removed
 */
export function reversalOrBooking(tx: Tx, hasRemoved: boolean): Fragment {
  if (!hasRemoved)
    return tx`settlement_records back on back.file_id = reversal.file_id and back.line = reversal.line
          and back.settlement_status = 'SUCCESS'`;
  return tx`lateral (
        select k.amount_minor, k.currency from settlement_records k
        where k.file_id = reversal.file_id and k.line = reversal.line and k.settlement_status = 'SUCCESS'
        union all
        select b.amount_minor, b.currency from settlement_files f join payments b on b.id = reversal.booking_id
        where f.id = reversal.file_id and f.status = 'retired'
        limit 1) back on true`;
}
