import { disagreement } from '../differing-sums.js';
import { isDivided } from '../db/shards/is-divided.js';
import { collectFromShards } from '../db/shards/on-shards.js';
import { fileIdArray, fileIdsInScope, type RunScope } from '../db/run-scope.js';
import { formatAmount } from '../values/money.js';
import type { Fragment, Tx } from './fragment.js';
import type { FileId } from '../values/ids.js';

/**
 * Compares the results with the facts before they are committed: every record in scope has one result, and the
 * amounts that the payment core booked for the chargebacks of this run are, per kind and currency, those of their
 * records. A difference is a defect of the program or of the stored data; then nothing of the matching is stored.
 *
 * Last step of the matching transaction: reads `new_matches` and `new_links`.
 *
 * @param hasNewLinks whether this run has booked anything
 * @throws ReconError CONTROL_TOTALS_DISAGREE
 */
export async function checkConservation(
  tx: Tx,
  scope: RunScope,
  { hasNewLinks }: { readonly hasNewLinks: boolean },
): Promise<void> {
  if (scope.kind === 'run') await checkResults(tx, await fileIdsInScope(tx, scope));
  if (hasNewLinks) await checkBookings(tx);
}

const nothingStored = 'Nothing of this matching was stored.';

/** A union and not a join: PostgreSQL 15 compared each of many files with all of them. */
async function checkResults(tx: Tx, fileIds: readonly FileId[]): Promise<void> {
  const files = fileIdArray(tx, fileIds);
  const counted = tx`select file_id, count(*) as results from record_matches where file_id = any (${files}) group by file_id`;
  const isOnShards = await isDivided(tx);
  if (isOnShards) await collectFromShards(tx, 'result_counts', counted, []);
  const results = isOnShards
    ? tx`select file_id, sum(results) as results from result_counts group by file_id`
    : counted;
  const wrong = await tx<{ name: string; records: number; results: number }[]>`
    select (select name from settlement_files where id = file_id) as name, records, results
    from (
      select file_id, sum(records)::integer as records, sum(results)::integer as results
      from (
        select id as file_id, rows_accepted - rows_already_known as records, 0 as results
        from settlement_files where id = any (${files})
        union all
        select file_id, 0, results from (${results}) m) each_file
      group by file_id) f
    where records <> results
    order by file_id limit 1`;
  for (const { name, records, results } of wrong) {
    throw disagreement(
      `file ${name} has ${records} records and ${results} results of matching`,
      nothingStored,
    );
  }
}

async function checkBookings(tx: Tx): Promise<void> {
  // For each shard, the sums of the records and bookings on it: a booking is on a different shard from its record.
  const ofRecords = tx`select l.kind, s.currency, sum(s.amount_minor) as amount
    from new_links l join settlement_records s on s.file_id = l.file_id and s.line = l.line group by 1, 2`;
  const ofBookings = tx`select l.kind, p.currency, sum(p.amount_minor) as amount
    from new_links l join payments p on p.id = l.booking_id group by 1, 2`;
  const isOnShards = await isDivided(tx);
  if (isOnShards) await collectBookingSums(tx, ofRecords, ofBookings);
  const sumsOf = (what: 'record' | 'booking') =>
    tx`select kind, currency, sum(amount) as amount from booking_sums where what = ${what} group by 1, 2`;
  const wrong = await tx<{ kind: string; currency: string; records: bigint; booked: bigint }[]>`
    select coalesce(r.kind, b.kind) as kind, coalesce(r.currency, b.currency) as currency,
      coalesce(r.amount, 0)::bigint as records, coalesce(b.amount, 0)::bigint as booked
    from (${isOnShards ? sumsOf('record') : ofRecords}) r
    full join (${isOnShards ? sumsOf('booking') : ofBookings}) b
    on b.kind = r.kind and b.currency = r.currency
    where r.amount is distinct from b.amount
    order by 1, 2 limit 1`;
  for (const { kind, currency, records, booked } of wrong) {
    throw disagreement(
      `the ${kind} records come to ${formatAmount(records)} ${currency}, and ${formatAmount(booked)} ${currency} were booked for them`,
      nothingStored,
    );
  }
}

async function collectBookingSums(tx: Tx, ofRecords: Fragment, ofBookings: Fragment): Promise<void> {
  await collectFromShards(
    tx,
    'booking_sums',
    tx`select 'record' as what, r.* from (${ofRecords}) r union all select 'booking', b.* from (${ofBookings}) b`,
    [
      {
        name: 'new_links',
        columns: 'kind text collate "C", file_id integer, line integer, booking_id text collate "C"',
        rows: tx`select kind, file_id, line, booking_id from new_links`,
      },
    ],
  );
}
