import { isDivided } from '../db/shards/is-divided.js';
import { askShards, readAnswers, statementText, type ShardInput } from '../db/shards/on-shards.js';
import { areFewBesideRecords } from '../db/look-up-records.js';
import { fileIdArray, isAmongFiles, recordsInScope, recordsOfFiles, type RunScope } from '../db/run-scope.js';
import { anyMayHold, type Check } from './discrepancies/check.js';
import { hasDeliveryKey } from './deliveries/delivery-key.js';
import { isPartlyReversed, mayBeReversed } from './discrepancies/reversed-payments.js';
import type { FileId } from '../values/ids.js';
import type { Fragment, Tx } from './fragment.js';
import { isMatchable, uniqueIdKey } from './matching-keys.js';
import { typeFits } from './type-fit.js';
import { indexMatches } from './work-tables.js';

/**
 * The fast path: reads the records in scope and their payments once, which is enough for most of them. A UniqueID finds
 * one payment or none, and where it finds one, the record and the payment are joined already, so every check of a
 * single record is made in the same pass. Only the records that need a review are read again: reading a million rows
 * twice more, once to compare and once to write messages, cost as much as everything else together.
 *
 * Makes `new_matches`, with the result of each record as it would be stored if no weaker key finds anything.
 * `needs_review` is cautious: false only if no check can find anything wrong with the record and it settles its payment
 * in full. Every chargeback and every reversal needs a review, because their sums are checked. `found_type` is the type
 * of the payment that UniqueID found, so that later steps need not look it up again; `settled_key` is that payment, if
 * the record settles it in full. (A weaker key writes it too.)
 *
 * With shards, each shard does this for its own records.
 *
 * @param extraFiles those of `extra_records`
 */
export async function takeFastPath(
  tx: Tx,
  scope: RunScope,
  { checks, fileIds, extraFiles, hasManualLinks }: FastPathSettings,
): Promise<void> {
  const isOnShards = await isDivided(tx);
  // Redundant, but with it a re-run of a day reads the results of its files instead of the month's.
  const ofTheirFiles =
    scope.kind === 'range' ? tx`and o.file_id = any (${fileIdArray(tx, [...fileIds, ...extraFiles])})` : tx``;
  const extra =
    extraFiles.length === 0
      ? tx``
      : tx`union all select r.* from extra_records e
        join settlement_records r on r.file_id = e.file_id and r.line = e.line
          and ${isAmongFiles(tx, extraFiles)}`;
  const queryOf = (records: Fragment) =>
    fastPath(tx, { records, ofTheirFiles, hasManualLinks, isOnShards }, checks);
  const query = queryOf(tx`${recordsInScope(tx, scope, fileIds)} ${extra}`);
  if (isOnShards) {
    await listReversed(tx);
    await tx`create temp table new_matches on commit drop as ${query} with no data`;
    // Where its result is stored, and whether the shard has it in `own_matches`.
    await tx`alter table pg_temp.new_matches add column shard integer, add column is_on_shard boolean`;
    const rechecked =
      scope.kind === 'run'
        ? tx`or (file_id, line) in (select file_id, line from run_rechecks where run_id = ${scope.runId})`
        : tx``;
    const chosen = tx`(file_id = any (${fileIdArray(tx, [...fileIds, ...extraFiles])}) ${rechecked})`;
    await matchOnShards(tx, query, 'own_matches', [
      ...inputsOf(tx, chosen, hasManualLinks),
      scope.kind === 'run'
        ? {
            name: 'run_rechecks',
            columns: 'run_id integer, file_id integer, line integer',
            rows: tx`select run_id, file_id, line from run_rechecks where run_id = ${scope.runId}`,
          }
        : recordsInput(tx, 'extra_records'),
    ]);
  } else {
    const apart = scope.kind === 'run' ? await fewRechecks(tx, scope, fileIds) : null;
    const records = apart === null ? query : queryOf(recordsOfFiles(tx, fileIds));
    await tx`create temp table new_matches on commit drop as ${records}`;
    if (apart?.any === true) await tx`insert into new_matches ${queryOf(apart.records)}`;
  }
  await indexMatches(tx);
}

/**
 * The records of other files that this run matches again, if they are so few that they are looked up. A join would read
 * all records of a year for them. Their files are named, so that the look-up is not planned for all tables of records.
 *
 * @returns null if there are many
 */
async function fewRechecks(
  tx: Tx,
  scope: Extract<RunScope, { kind: 'run' }>,
  fileIds: readonly FileId[],
): Promise<{ readonly any: boolean; readonly records: Fragment } | null> {
  const rechecks = tx`from run_rechecks c
    where c.run_id = ${scope.runId} and c.file_id <> all (${fileIdArray(tx, fileIds)})`;
  if (!(await areFewBesideRecords(tx, tx`select ${rechecks}`))) return null;
  const found = await tx<{ id: FileId }[]>`select distinct c.file_id as id ${rechecks}`;
  const files = found.map(({ id }) => id);
  const records = tx`select r.* from (select c.file_id, c.line ${rechecks}) c
    cross join lateral (select r.* from settlement_records r
      where ${isAmongFiles(tx, files)} and r.file_id = c.file_id and r.line = c.line limit 1) r`;
  return { any: files.length > 0, records };
}

/** Takes the fast path with `late_records`, which were found meanwhile, and adds their results to `new_matches`. */
export async function takeLateRecords(
  tx: Tx,
  { checks, hasManualLinks }: Omit<FastPathSettings, 'fileIds' | 'extraFiles'>,
): Promise<void> {
  const records = tx`select r.* from late_records e
    join settlement_records r on r.file_id = e.file_id and r.line = e.line`;
  const isOnShards = await isDivided(tx);
  const query = fastPath(tx, { records, ofTheirFiles: tx``, hasManualLinks, isOnShards }, checks);
  if (!isOnShards) {
    await tx`insert into new_matches ${query}`;
    return;
  }
  const chosen = tx`(file_id, line) in (select file_id, line from late_records)`;
  await matchOnShards(tx, query, 'late_matches', [
    ...inputsOf(tx, chosen, hasManualLinks),
    recordsInput(tx, 'late_records'),
  ]);
}

/** What decides which statements the fast path needs. */
export interface FastPathSettings {
  readonly checks: readonly Check[];
  /** The files in scope. */
  readonly fileIds: readonly FileId[];
  /** The files of `extra_records`, which only a re-run has. */
  readonly extraFiles: readonly FileId[];
  /** Whether there are `redecided_records`: those do not keep the payment of their chargeback. */
  readonly hasManualLinks: boolean;
}

interface FastPathInput {
  readonly records: Fragment;
  readonly ofTheirFiles: Fragment;
  readonly hasManualLinks: boolean;
  readonly isOnShards: boolean;
}

/**
 * A reversal may be on a different shard from its payment, so the home server lists what is reversed for all of them.
 */
async function listReversed(tx: Tx): Promise<void> {
  await tx`create temp table partly_reversed on commit drop as
    select distinct rv.referenced_payment_id as id from payments rv
    where rv.payment_type = 'RV' and rv.outcome = 'SUCCESS' and rv.referenced_payment_id is not null`;
}

/**
 * Joins the records, results and payments of each shard there and adds what was found to `new_matches` of the home
 * server. The shard keeps it too: most of it is stored from there.
 */
async function matchOnShards(
  tx: Tx,
  query: Fragment,
  table: 'own_matches' | 'late_matches',
  inputs: readonly ShardInput[],
): Promise<void> {
  const text = await statementText(tx, query);
  await askShards(tx, {
    inputs,
    step: `drop table if exists pg_temp.${table}; create temp table ${table} on commit drop as
      select f.*, current_setting('recon.shard')::integer as shard, ${table === 'own_matches'} as is_on_shard
      from (${text}) f`,
    answer: `select n::text from pg_temp.${table} n`,
  });
  await readAnswers(tx, 'new_matches');
}

/** What the query reads besides the tables of the shard. */
function inputsOf(tx: Tx, chosen: Fragment, hasManualLinks: boolean): ShardInput[] {
  return [
    {
      name: 'chargeback_links',
      columns: 'file_id integer, line integer, payment_key bigint',
      rows: tx`select file_id, line, payment_key from chargeback_links where ${chosen}`,
    },
    {
      name: 'partly_reversed',
      columns: 'id text collate "C"',
      rows: tx`select id from partly_reversed`,
    },
    ...(hasManualLinks ? [recordsInput(tx, 'redecided_records')] : []),
  ];
}

function recordsInput(tx: Tx, name: 'redecided_records' | 'late_records' | 'extra_records'): ShardInput {
  return {
    name,
    columns: 'file_id integer, line integer',
    rows: tx`select file_id, line from ${tx(name)}`,
  };
}

function fastPath(
  tx: Tx,
  { records, ofTheirFiles, hasManualLinks, isOnShards }: FastPathInput,
  checks: readonly Check[],
): Fragment {
  const notRedecided = hasManualLinks
    ? tx`and (r.file_id, r.line) not in (select file_id, line from redecided_records)`
    : tx``;
  return tx`
    select r.file_id, r.line, r.reconciliation_type, l.file_id is not null as pinned,
      case when l.file_id is null then m.status else 'MATCHED' end as status,
      case when l.file_id is null then m.matched_by else o.matched_by end as matched_by,
      case when l.file_id is not null then o.matched_through end as matched_through,
      case when l.file_id is null then m.payment_key else l.payment_key end as payment_key,
      o.file_id is null as is_new, o.status as former_status, o.matched_by as former_matched_by,
      o.matched_through as former_matched_through, o.payment_key as former_payment_key,
      (l.file_id is not null
        or r.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
        or coalesce(r.reconciliation_type = 'SETTLED' and p.amount_minor <> r.amount_minor, false)
        or coalesce(${isOnShards ? isPartlyReversed(tx) : mayBeReversed(tx)}, false)
        or coalesce(m.status = 'NOT_APPLICABLE' and ${hasDeliveryKey(tx)}, false)
        or ${anyMayHold(tx, checks)}) as needs_review,
      case when l.file_id is null then p.payment_type end as found_type,
      case when ${settlesAlone(tx)} then p.key end as settled_key
    from (${records}) r
    left join record_matches o on o.file_id = r.file_id and o.line = r.line ${ofTheirFiles}
    left join chargeback_links l on l.file_id = r.file_id and l.line = r.line ${notRedecided}
    left join payments p on ${uniqueIdKey(tx)} and ${isMatchable(tx)}
    cross join lateral (select r.file_id, r.line, p.key as payment_key,
      (case when p.key is not null then 'UNIQUE_ID' end)::matched_by as matched_by,
      (case when p.key is not null then 'MATCHED' when ${isMatchable(tx)} then 'NOT_MATCHED'
        else 'NOT_APPLICABLE' end)::matching_status as status) m
    cross join lateral (select null::bigint as payment_key) v`;
}

/** Whether record `r` settles payment `p` in full. */
export function settlesAlone(tx: Tx): Fragment {
  return tx`(r.reconciliation_type = 'SETTLED' and r.settlement_status = 'SUCCESS' and r.currency = p.currency
    and r.amount_minor = p.amount_minor and ${typeFits(tx)})`;
}
