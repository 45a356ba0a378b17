import type { Tx } from '../fragment.js';
import { hasRemovedRecords } from '../removed-records.js';

/**
 * A chargeback or reversal that counted when it was removed still counts, so the delivery that it replaced still does
 * not, although nothing that is stored replaces it any more. The exception: its source says `corrections: replace`, and
 * has brought it again since.
 *
 * Reads `deliveries` and `carriers`, and adds to `uncounted_deliveries`.
 */
export async function keepReplaced(tx: Tx): Promise<void> {
  if (!(await hasRemovedRecords(tx))) return;
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
      limit 1) h
    join settlement_files f on f.id = h.file_id and f.status = 'retired'
    where h.file_id > d.file_id
      and not exists (select from uncounted_deliveries x where x.file_id = d.file_id and x.line = d.line)
      and not (d.mode = 'replace' and exists (select from carriers c
        where c.file_id = d.file_id and c.line = d.line and c.by_file_id > h.file_id))`;
}
