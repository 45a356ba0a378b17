import { fileIdArray, isAmongFiles } from '../../db/run-scope.js';
import { isDivided } from '../../db/shards/is-divided.js';
import type { FileId } from '../../values/ids.js';
import { collectRows } from '../collect-rows.js';
import type { Fragment, Tx } from '../fragment.js';
import { sampleRows } from '../../db/sample-rows.js';
import { fullyReversed } from './reversed-payments.js';
import { onCopiedReversals } from '../copies-from-shards.js';

/**
 * The records that need a review, with all their columns: a few in a hundred, which all later steps read instead of the
 * million. For `undecided` records no payment was found yet.
 *
 * @param fileIds the files in scope
 */
export async function listReviewRecords(tx: Tx, fileIds: readonly FileId[]): Promise<void> {
  const isOnShards = await isDivided(tx);
  const { files, areFew } = await filesToReview(tx);
  const all = () => (isOnShards ? reviewed(tx, allRecords(tx)) : recordsOfFiles(tx, fileIds, files));
  const records = areFew ? reviewed(tx, eachRecord(tx, files)) : all();
  await collectRows(tx, 'review_records', records, [
    {
      name: 'new_matches',
      columns: 'file_id integer, line integer, status matching_status, pinned boolean, needs_review boolean',
      rows: tx`select file_id, line, status, pinned, needs_review from new_matches where needs_review`,
    },
  ]);
  await tx`create index on pg_temp.review_records (file_id, line)`;
  // Sampling all forty columns takes as long as listing the records.
  await sampleRows(tx, 9000, tx`review_records (file_id, line, undecided, reconciliation_type)`);
}

function reviewed(tx: Tx, join: Fragment): Fragment {
  return tx`select n.status = 'NOT_MATCHED' and not n.pinned as undecided, r.*
    from new_matches n ${join}
    where n.needs_review`;
}

/**
 * The records of these files are joined, and those of others looked up. A run checks some records of many files again,
 * and with them a join would read all records of these files, or of a year.
 */
function recordsOfFiles(tx: Tx, fileIds: readonly FileId[], reviewedFiles: readonly FileId[]): Fragment {
  const files = fileIdArray(tx, fileIds);
  const others = reviewedFiles.filter((id) => !fileIds.includes(id));
  return tx`${reviewed(tx, tx`${allRecords(tx)} and r.file_id = any (${files})`)} and n.file_id = any (${files})
    union all
    ${reviewed(tx, eachRecord(tx, others))} and n.file_id <> all (${files})`;
}

function allRecords(tx: Tx): Fragment {
  return tx`join settlement_records r on r.file_id = n.file_id and r.line = n.line`;
}

/**
 * Looks the records up one by one, in the order of the file. The planner expects each look-up to read a page from the
 * disk, and would read all records instead: 0.85 instead of 0.42 s for 87,000 of 1,000,000. (For 615,000 of them, it is
 * right: 2.2 instead of 3.2 s.)
 *
 * @param files theirs: the look-up is planned for the tables of these only
 */
function eachRecord(tx: Tx, files: readonly FileId[]): Fragment {
  return tx`cross join lateral (select r.* from settlement_records r
    where ${isAmongFiles(tx, files)} and r.file_id = n.file_id and r.line = n.line limit 1) r`;
}

/** The files of the records that need a review, and whether these are few. */
async function filesToReview(
  tx: Tx,
): Promise<{ readonly files: readonly FileId[]; readonly areFew: boolean }> {
  const found = await tx<{ id: FileId; records: number; all: number }[]>`
    select file_id as id, count(*)::float8 as records,
      (select reltuples::float8 from pg_class where oid = 'pg_temp.new_matches'::regclass) as all
    from new_matches where needs_review group by file_id`;
  const records = found.reduce((sum, file) => sum + file.records, 0);
  return { files: found.map(({ id }) => id), areFew: 5 * records < (found[0]?.all ?? 1) };
}

/**
 * The undecided records, with the columns that the weaker keys read: they are read several times. In a flood they are a
 * twelfth of the records that need a review; in a file without UniqueIDs, all of them.
 */
export async function listUndecidedRecords(tx: Tx): Promise<void> {
  await tx`create temp table undecided_records on commit drop as
    select r.file_id, r.line, r.reconciliation_type, r.payment_type, r.settlement_status, r.unique_id, r.short_id,
      r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3, r.merchant_account_id, r.account_number_last4,
      r.amount_minor, r.currency, r.tx_request_time, r.brand
    from review_records r where r.undecided`;
  await tx`create index on pg_temp.undecided_records (file_id, line)`;
  // The columns that the weaker keys join.
  const columns = tx`file_id, line, reconciliation_type, short_id, connector_tx_id1, connector_tx_id2,
    connector_tx_id3, merchant_account_id, amount_minor, account_number_last4`;
  await sampleRows(tx, 9000, tx`undecided_records (${columns})`);
}

/**
 * Lists the payments with several records, among them those to which a record was matched before, and whether two of
 * the records are of different files. Records that only a weaker key decides are not among them: they need a review.
 *
 * Makes `shared_payments` and `repeated_payments`.
 */
export async function listRepeatedPayments(tx: Tx): Promise<void> {
  // Grouping by payment alone takes half of the time of grouping by type too, which only those with records of several
  // files need.
  await tx`create temp table shared_payments on commit drop as
    select payment_key, min(file_id) as first_file_id, min(file_id) <> max(file_id) as mixed from new_matches
    where payment_key is not null group by payment_key having count(*) > 1`;
  await tx`create unique index on pg_temp.shared_payments (payment_key)`;
  await tx`analyze shared_payments`;
  // A payment that is shared is joined with its stored results once, and not for each of its records.
  await tx`create temp table repeated_payments on commit drop as
    select payment_key, bool_or(several_files) as of_several_files from (
      select payment_key, false as several_files from shared_payments where not mixed
      union all
      select n.payment_key, min(n.file_id) <> max(n.file_id) as several_files
      from new_matches n join shared_payments s on s.payment_key = n.payment_key and s.mixed
      group by n.payment_key, n.reconciliation_type
      union all
      select n.payment_key, n.mixed or m.file_id <> n.file_id from (
        select payment_key, file_id, line, false as mixed from new_matches
        where payment_key is not null
          and not exists (select from shared_payments s where s.payment_key = new_matches.payment_key)
        union all
        select payment_key, first_file_id, null, mixed from shared_payments) n
      join record_matches m on m.payment_key = n.payment_key
      where n.mixed or m.file_id <> n.file_id or m.line <> n.line) t
    group by payment_key`;
  await tx`create unique index on pg_temp.repeated_payments (payment_key)`;
  await tx`analyze repeated_payments`;
}

/**
 * Lists the payments under review, once all matches are known and before they are stored: those of a record that needs
 * a review or starts or stops counting, those with several records, and those to which a record was matched before.
 * Those of them whose records are added up are listed separately, and those that are reversed in full too.
 *
 * A payment that a new record settles in full needs no sum, whatever else that record is reviewed for: with other
 * records, it is one of those with several.
 */
export async function listReviewPayments(tx: Tx): Promise<void> {
  await tx`create temp table summed_payments (payment_key bigint) on commit drop`;
  await tx`insert into summed_payments
    select payment_key from new_matches
    where needs_review and payment_key is not null and (not is_new or settled_key is distinct from payment_key)
    union
    select former_payment_key from new_matches
    where not is_new and former_payment_key is not null and former_payment_key is distinct from payment_key
    union
    select n.payment_key from changed_records c join new_matches n on n.file_id = c.file_id and n.line = c.line
    where n.payment_key is not null
    union
    select payment_key from repeated_payments
    ${(await isDivided(tx)) ? tx`` : repeatedByWeakerKeys(tx)}`;
  await indexPayments(tx, 'summed_payments');
  await tx`create temp table review_payments (payment_key bigint) on commit drop`;
  await tx`insert into review_payments
    select payment_key from summed_payments
    union
    select payment_key from new_matches where needs_review and payment_key is not null`;
  await indexPayments(tx, 'review_payments');
  await tx`create temp table reversed_payments (payment_key bigint primary key) on commit drop`;
  const keys = tx`select payment_key from review_payments`;
  await onCopiedReversals(tx, keys, async () => {
    await tx`insert into reversed_payments ${fullyReversed(tx, keys)}`;
  });
  await tx`analyze reversed_payments`;
}

/** The payments with several records, of those that a record settles in full which a weaker key matched. */
function repeatedByWeakerKeys(tx: Tx): Fragment {
  const settled = tx`select w.payment_key from new_matches w
    where w.needs_review and w.is_new and w.matched_by <> 'UNIQUE_ID' and w.settled_key = w.payment_key`;
  return tx`
    union
    (select n.payment_key from new_matches n where n.payment_key in (${settled})
      group by n.payment_key having count(*) > 1)
    union
    select m.payment_key from (${settled}) w join record_matches m on m.payment_key = w.payment_key`;
}

async function indexPayments(tx: Tx, table: 'summed_payments' | 'review_payments'): Promise<void> {
  await tx`create unique index on ${tx(`pg_temp.${table}`)} (payment_key)`;
  await tx`analyze ${tx(table)}`;
}
