import type { Fragment, Tx } from './fragment.js';

/*
 * The chargeback links of records that `recon retire` or `recon purge` removed stay, and so do their bookings. A file
 * may bring such a record again, because its fingerprint was removed with it, and the reversal of a removed chargeback
 * may come years later.
 */

/**
 * Takes the id from removed records that are delivered again: they are the same records (design 4.3), so their bookings
 * have the same ids.
 *
 * Makes `links_of_removed`.
 *
 * @param bookingIds a select of `booking_id`: those that records are about to get
 */
export async function releaseRemovedLinks(tx: Tx, bookingIds: Fragment): Promise<void> {
  await tx`create temp table if not exists links_of_removed (booking_id text collate "C") on commit drop`;
  await tx`
    with released as (
      delete from chargeback_links l using (
        select o.file_id, o.line from (${bookingIds}) n
        cross join lateral (select o.file_id, o.line from chargeback_links o
          where o.booking_id = n.booking_id and o.active offset 0) o
        join settlement_files f on f.id = o.file_id and f.status = 'retired') x
      where l.file_id = x.file_id and l.line = x.line
      returning l.booking_id
    )
    insert into links_of_removed select booking_id from released`;
}

/**
 * What the choice of an open chargeback needs of the record of link `l`, as a join of `r`. If the record was removed,
 * its booking has the amount, the currency and the day. A chargeback that FAILED has an accepted finding.
 */
export function recordOrBooking(tx: Tx): Fragment {
  return tx`cross join lateral (
      select r.amount_minor, r.currency, r.settlement_status, r.settlement_date, r.settlement_tx_id, r.fingerprint,
        r.occurrence
      from settlement_records r where r.file_id = l.file_id and r.line = l.line
      union all
      select b.amount_minor, b.currency, case when exists (select from discrepancies d
          where d.file_id = l.file_id and d.line = l.line and d.code = 'SETTLEMENT_FAILED' and d.resolved_run is null)
          then 'FAILED' else 'SUCCESS' end,
        (b.requested_at at time zone 'UTC')::date, null, '00000000-0000-0000-0000-000000000000', l.line
      from settlement_files f join payments b on b.id = l.booking_id
      where f.id = l.file_id and f.status = 'retired'
      limit 1) r`;
}
