import type { Tx } from '../fragment.js';

/**
 * Adds to `changed_records` the records that hold the chargeback id of a changed record: it passed to them because they
 * superseded that record, directly or through others (design 4.8). If the former record counts again, the id returns to
 * it, and the holder needs a new one.
 *
 * Whoever supersedes a record now does not say who holds its id: after a record between the two was withdrawn, nobody
 * may supersede it any more.
 */
export async function addHoldersOfIds(tx: Tx): Promise<void> {
  await tx`
    insert into changed_records (file_id, line, counts)
    select holder.file_id, holder.line, not exists (
      select from uncounted_records u where u.file_id = holder.file_id and u.line = holder.line)
    from changed_records c
    join chargeback_links l on l.file_id = c.file_id and l.line = c.line
    join chargeback_links holder on holder.booking_id = l.booking_id and holder.active
    on conflict do nothing`;
}
