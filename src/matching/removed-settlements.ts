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
 */
export function removedAsRecords(tx: Tx): Fragment {
  return tx`(select d.file_id, d.line, d.fingerprint, d.occurrence, 'SETTLED'::text collate "C" as reconciliation_type,
      d.payment_type, '-infinity'::date as settlement_date, d.settlement_tx_id,
      'SUCCESS'::text collate "C" as settlement_status, d.amount_minor, d.currency, true as is_removed
    from removed_settlements d) r`;
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
