import { isAmongFiles } from '../db/run-scope.js';
import { isDivided } from '../db/shards/is-divided.js';
import { collectFromShards } from '../db/shards/on-shards.js';
import type { FileId } from '../values/ids.js';
import { takesPart } from './deliveries/takes-part.js';
import type { Fragment, Tx } from './fragment.js';
import type { RemovedFiles } from './removed-records.js';

/*
 * A payment that was settled stays settled when `recon retire` or `recon purge` removes the records of that month: what
 * settles it once more is too much, and what a part left open may still come. So a removed settlement leaves what the
 * sums of its payment need.
 */

/**
 * Notes the settlements in the records of these files, which are about to be removed: those that are matched to a
 * payment and count. One that was accepted as a duplicate does not: with it, another one would be too much.
 */
export async function noteRemovedSettlements(
  tx: Tx,
  { firstFileId, endFileId }: RemovedFiles,
): Promise<void> {
  await tx`
    insert into removed_settlements (file_id, line, fingerprint, occurrence, settlement_date, settlement_tx_id,
      payment_type, amount_minor, currency)
    select r.file_id, r.line, r.fingerprint, r.occurrence, r.settlement_date, r.settlement_tx_id, r.payment_type,
      r.amount_minor, r.currency
    from settlement_records r
    join record_matches m on m.file_id = r.file_id and m.line = r.line
    where r.file_id >= ${firstFileId} and r.file_id < ${endFileId} and m.payment_key is not null
      and r.reconciliation_type = 'SETTLED' and r.settlement_status = 'SUCCESS'
      and not exists (select from uncounted_records u where u.file_id = r.file_id and u.line = r.line)
      and not exists (select from discrepancies d where d.file_id = r.file_id and d.line = r.line
        and d.code = 'DUPLICATE_SETTLEMENT' and d.resolved_run is null)`;
}

/** Whether there are any. */
export async function hasRemovedSettlements(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ removed: boolean }[]>`
    select exists (select from removed_settlements) as removed`;
  return row?.removed === true;
}

/**
 * The removed settlements as records `r`, with what sums read of a record. They come before all records that are
 * stored, whatever their day: what is too much is then found on a record that can be looked at.
 *
 * @param condition over `d`: which of them
 */
export function removedAsRecords(tx: Tx, condition = tx`true`): Fragment {
  return tx`(select d.file_id, d.line, d.fingerprint, d.occurrence, 'SETTLED'::text collate "C" as reconciliation_type,
      d.payment_type, '-infinity'::date as settlement_date, d.settlement_tx_id,
      'SUCCESS'::text collate "C" as settlement_status, d.amount_minor, d.currency, true as is_removed
    from removed_settlements d where ${condition}) r`;
}

/**
 * Those that no file has brought again, or only records that take no part. For a few: it looks each of them up in all
 * parts ({@link listStoredAgain} is for many).
 */
export function removedAndNotBack(tx: Tx): Fragment {
  return removedAsRecords(
    tx,
    tx`not exists (select from settlement_records r where r.settlement_date = d.settlement_date
      and r.fingerprint = d.fingerprint and r.occurrence = d.occurrence and ${takesPart(tx)} offset 0)`,
  );
}

/**
 * Of stored and removed records of payments, each once: a removed settlement that a file has brought again is stored as
 * a new record, which counts instead, unless it waits for a decision.
 *
 * @param records those that take part, with `payment_key`, `fingerprint`, `occurrence`, `is_removed`, `file_id` and
 *   `line`
 */
export function eachOnce(tx: Tx, records: Fragment): Fragment {
  return tx`(
      select distinct on (a.payment_key, a.fingerprint, a.occurrence) a.* from (${records}) a
      order by a.payment_key, a.fingerprint, a.occurrence, a.is_removed, a.file_id, a.line)`;
}

/**
 * Lists in `stored_again` the removed settlements that a file has brought again and that take part as stored records.
 * Such a record may be matched to another payment than before, so the removed one must count nowhere.
 *
 * A record keeps its date, so only files with a date as early as those of removed files are looked at: usually a few.
 *
 * @param places a select of `file_id` and `line`: the removed settlements that are looked up, among others
 */
export async function listStoredAgain(tx: Tx, places: Fragment): Promise<void> {
  await tx`create temp table if not exists stored_again (file_id integer, line integer) on commit drop`;
  await tx`truncate pg_temp.stored_again`;
  const files = await tx<{ id: FileId }[]>`
    select id from settlement_files where status = 'loaded' and first_settlement_date <= (
      select max(last_settlement_date) from settlement_files where status = 'retired')`;
  if (files.length === 0) return;
  await tx`create temp table removed_at_places on commit drop as
    select s.file_id, s.line, s.settlement_date, s.fingerprint, s.occurrence from (${places}) p
    cross join lateral (select s.* from removed_settlements s
      where s.file_id = p.file_id and s.line = p.line offset 0) s`;
  await insertStoredAgain(
    tx,
    files.map(({ id }) => id),
  );
  await tx`drop table pg_temp.removed_at_places`;
  await tx`analyze stored_again`;
}

/** Each is looked up by the index of every part, which begins with the date. */
async function insertStoredAgain(tx: Tx, files: readonly FileId[]): Promise<void> {
  const again = tx`select d.file_id as removed_file_id, d.line as removed_line, r.file_id, r.line from removed_at_places d
    cross join lateral (select r.file_id, r.line from settlement_records r
      where ${isAmongFiles(tx, files)} and r.settlement_date = d.settlement_date
        and r.fingerprint = d.fingerprint and r.occurrence = d.occurrence offset 0) r`;
  const isOnShards = await isDivided(tx);
  if (isOnShards) {
    await collectFromShards(tx, 'again_on_shards', again, [
      {
        name: 'removed_at_places',
        columns: 'file_id integer, line integer, settlement_date date, fingerprint uuid, occurrence integer',
        rows: tx`select * from removed_at_places`,
      },
    ]);
  }
  await tx`insert into stored_again
    select r.removed_file_id, r.removed_line from ${isOnShards ? tx`again_on_shards` : tx`(${again})`} r
    where ${takesPart(tx)}`;
  if (isOnShards) await tx`drop table pg_temp.again_on_shards`;
}
