import type { Tx } from '../db/client.js';
import { latestWithdrawals } from '../db/run-scope.js';
import { lookedUpRecords, resultsOfPayments } from '../db/shards/rows-by-key.js';
import { itemRows, prepareView, type ItemView } from '../items/item-rows.js';
import { unsettledFindings } from '../items/settled-findings.js';
import type { CalendarDate } from '../values/calendar-date.js';
import type { FileId } from '../values/ids.js';

/** A settlement file as far as retention depends on it. */
export interface FileState {
  readonly id: FileId;
  readonly sha256: string;
  /** Of the file with its announced totals. */
  readonly totalsSha256: string | null;
  readonly sizeBytes: number;
  /** When it was received. */
  readonly day: CalendarDate;
  /** Its last SettlementDate. */
  readonly lastDay: CalendarDate | null;
  readonly isLoaded: boolean;
  /** A run will still load it, report it, enter a correction of it, or act on its withdrawal. */
  readonly isWaiting: boolean;
  /** An item that is open or waiting is about one of its records, or about a payment that one of them is matched to. */
  readonly hasOpenItem: boolean;
  /** When retention removed its bytes from the archive, in milliseconds since 1970; null if it did not. */
  readonly removedAtMs: number | null;
}

/** Every settlement file, with what keeps it from being removed. */
export async function readFileStates(tx: Tx, view: ItemView): Promise<readonly FileState[]> {
  const prepared = await prepareView(tx, view);
  const rows = itemRows(tx, prepared, { from: unsettledFindings(tx, prepared) });
  const { isOnShards } = prepared;
  const openPayments = tx`select distinct payment_key from open_items where payment_key is not null`;
  const stored = lookedUpRecords(tx, {
    isOnShards,
    columns: tx`true as stored`,
    of: tx`c`,
    places: tx`select file_id, line from row_corrections`,
  });
  return tx<FileState[]>`
    with open_items as materialized (
      select i.file_id, i.payment_key from (${rows}) i
      where i.status in ('OPEN', 'WAITING')
    ), open_files as materialized (
      select file_id from open_items where file_id is not null
      union
      select m.file_id from (${openPayments}) o
      join ${resultsOfPayments(tx, isOnShards, openPayments)} m on m.payment_key = o.payment_key
    ), corrections_that_wait as materialized (
      select distinct c.file_id from row_corrections c
      left join ${stored}
      left join already_known_rows k on k.file_id = c.file_id and k.line = c.line
      where r.stored is null and k.file_id is null
    ), withdrawals_that_wait as materialized (
      select w.file_id from (${latestWithdrawals(tx)}) w
      left join withdrawn_files done on done.file_id = w.file_id
      where (w.kind = 'withdraw') <> (done.file_id is not null)
    )
    select f.id, f.sha256, f.totals_sha256 as "totalsSha256", f.size_bytes::float8 as "sizeBytes",
      (f.received_at at time zone ${view.timezone})::date::text as day, f.last_settlement_date::text as "lastDay",
      f.status = 'loaded' as "isLoaded",
      f.status = 'received'
        or coalesce(f.status in ('loaded', 'rejected')
          and (r.status <> 'completed' or (r.kind <> 'run' and f.status = 'loaded')), false)
        or (f.status = 'loaded' and f.id in (select file_id from corrections_that_wait))
        or (f.status = 'loaded' and f.id in (select file_id from withdrawals_that_wait)) as "isWaiting",
      f.id in (select file_id from open_files) as "hasOpenItem",
      (extract(epoch from f.archive_removed_at) * 1000)::float8 as "removedAtMs"
    from settlement_files f left join runs r on r.id = f.finished_run_id
    order by f.id`;
}
