import { isDivided } from '../../db/shards/is-divided.js';
import { lookedUpRecords, rowsAtPlaces } from '../../db/shards/rows-by-key.js';
import type { Tx } from '../fragment.js';
import { hasRemovedRecords } from '../removed-records.js';
import { ownBookingId } from './own-booking-id.js';

/**
 * A chargeback or reversal that was removed and is delivered again keeps the payment that it had, as one that is stored
 * does: it is the same record (design 4.3), and its id never changes (design 4.5). Otherwise its chargeback could move
 * to a payment that was stored since, away from its reversal. A decision about the new record counts instead.
 *
 * Changes `new_matches`.
 */
export async function keepRemovedPayments(
  tx: Tx,
  { hasManualLinks }: { readonly hasManualLinks: boolean },
): Promise<void> {
  if (!(await hasRemovedRecords(tx))) return;
  const isOnShards = await isDivided(tx);
  const undecided = hasManualLinks
    ? tx`and (n.file_id, n.line) not in (select file_id, line from manual_links
          union all select file_id, line from redecided_records)`
    : tx``;
  const withoutId = tx`
      select n.file_id, n.line, n.reconciliation_type from new_matches n
      where n.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL') and not n.pinned ${undecided}
        and not exists (select from chargeback_links l where l.file_id = n.file_id and l.line = n.line offset 0)`;
  const record = lookedUpRecords(tx, {
    isOnShards,
    columns: tx`r.fingerprint, r.occurrence`,
    of: tx`n`,
    places: tx`select n.file_id, n.line from (${withoutId}) n`,
  });
  await tx`create temp table if not exists payments_of_removed
    (file_id integer, line integer, payment_key bigint, former_file_id integer, former_line integer) on commit drop`;
  const found = await tx`
    insert into payments_of_removed
    select n.file_id, n.line, o.payment_key, o.file_id, o.line
    from (
      select n.file_id, n.line, case n.reconciliation_type when 'CHARGEBACK' then ${ownBookingId(tx, 'CHARGEBACK')}
        else ${ownBookingId(tx, 'CHARGEBACK REVERSAL')} end as own
      from (${withoutId}) n join ${record} offset 0) n
    cross join lateral (
      select o.* from (
        select o.file_id, o.line, o.payment_key from chargeback_links o
          where o.booking_id = n.own and o.active and o.own_booking_id is null
        union all
        select o.file_id, o.line, o.payment_key from chargeback_links o
          where o.own_booking_id = n.own and o.active) o
      join settlement_files f on f.id = o.file_id and f.status = 'retired'
      limit 1) o`;
  if (found.count === 0) return;
  const former = tx`select former_file_id as file_id, former_line as line from payments_of_removed`;
  await tx`
    update new_matches n set pinned = true, status = 'MATCHED', payment_key = k.payment_key,
      matched_by = m.matched_by, matched_through = m.matched_through, found_type = null
    from payments_of_removed k
    join ${rowsAtPlaces(tx, isOnShards, 'record_matches', former)} m
      on m.file_id = k.former_file_id and m.line = k.former_line
    where n.file_id = k.file_id and n.line = k.line and not n.pinned`;
}
