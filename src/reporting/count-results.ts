import type { Fragment, Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import { collectFromShards } from '../db/shards/on-shards.js';
import { fileIdsInScope, filesInScope, type RunScope } from '../db/run-scope.js';
import type { MatchingCounts, RunOutcome } from '../outcome.js';
import type { FileId } from '../values/ids.js';
import { noticesOf, otherDaysNotices, removedRowsNotices } from './notices.js';
import { rowsInScope } from './scope/rows-in-scope.js';

/** The counts that a run returns about its results; part of the `--json` document (design 5). */
export type ResultCounts = Pick<RunOutcome, 'matching' | 'chargebacks' | 'notices'>;

/**
 * Counts the stored results of the records in scope. They describe a state and not the steps that led to it, so a
 * re-run over unchanged data returns the same. Its discrepancies are counted while they are written, or by
 * `count-discrepancies.ts`.
 */
export async function countResults(tx: Tx, scope: RunScope): Promise<ResultCounts> {
  const fileIds = await fileIdsInScope(tx, scope);
  const matching = await countMatching(tx, scope, fileIds);
  const notices = [
    ...(await noticesOf(tx, scope, matching)),
    // A run has just stored the rejected rows of its files.
    ...(scope.kind === 'range'
      ? [...(await otherDaysNotices(tx, scope)), ...(await removedRowsNotices(tx, scope))]
      : []),
  ];
  return {
    ...(notices.length === 0 ? {} : { notices }),
    matching,
    chargebacks: await countChargebacks(tx, scope, fileIds),
  };
}

async function countMatching(tx: Tx, scope: RunScope, fileIds: readonly FileId[]): Promise<MatchingCounts> {
  const counted = tx`select m.status, count(*)::int as count from (${rowsInScope(tx, scope, 'record_matches', fileIds)}) m
    group by m.status`;
  const rows = (await isDivided(tx))
    ? await countOnShards(tx, scope, counted)
    : await tx<StatusCount[]>`${counted}`;
  const countOf = (status: keyof MatchingCounts) =>
    rows.reduce((sum, row) => (row.status === status ? sum + row.count : sum), 0);
  return {
    MATCHED: countOf('MATCHED'),
    MULTIPLE_MATCHES: countOf('MULTIPLE_MATCHES'),
    NOT_MATCHED: countOf('NOT_MATCHED'),
    NOT_APPLICABLE: countOf('NOT_APPLICABLE'),
  };
}

interface StatusCount {
  status: keyof MatchingCounts;
  count: number;
}

/** Each shard counts its own results. */
async function countOnShards(tx: Tx, scope: RunScope, counted: Fragment): Promise<StatusCount[]> {
  const files = filesInScope(tx, scope);
  await tx`drop table if exists pg_temp.counts_of_shards`;
  await collectFromShards(tx, 'counts_of_shards', counted, [
    {
      name: 'settlement_files',
      columns:
        'id integer, finished_run_id integer, status text, first_settlement_date date, last_settlement_date date',
      rows: tx`select id, finished_run_id, status, first_settlement_date, last_settlement_date
        from settlement_files where id in (${files})`,
    },
    ...(scope.kind === 'run'
      ? [
          {
            name: 'run_rechecks',
            columns: 'run_id integer, file_id integer, line integer',
            rows: tx`select run_id, file_id, line from run_rechecks where run_id = ${scope.runId}`,
          },
        ]
      : []),
    {
      name: 'uncounted_records',
      columns: 'file_id integer, line integer, reason text',
      rows: tx`select file_id, line, reason from uncounted_records where file_id in (${files})
        ${scope.kind === 'run' ? tx`or (file_id, line) in (select file_id, line from run_rechecks where run_id = ${scope.runId})` : tx``}`,
    },
  ]);
  return tx<StatusCount[]>`select status, count from counts_of_shards`;
}

/**
 * CHARGEBACK records in scope that hold an id, and reversals in scope that are linked to one that counts: a reversal
 * keeps its id while the file of its chargeback is withdrawn, and waits (design 4.5).
 */
async function countChargebacks(
  tx: Tx,
  scope: RunScope,
  fileIds: readonly FileId[],
): Promise<RunOutcome['chargebacks']> {
  const [row] = await tx<{ assigned: number; reversed: number }[]>`
    select count(*) filter (where l.kind = 'CHARGEBACK')::int as assigned,
      count(*) filter (where l.kind = 'CHARGEBACK REVERSAL' and exists (
        select from chargeback_links taken where taken.chargeback_id = l.chargeback_id
          and taken.kind = 'CHARGEBACK' and taken.active))::int as reversed
    from (${rowsInScope(tx, scope, 'chargeback_links', fileIds)}) l`;
  return { assigned: row?.assigned ?? 0, reversed: row?.reversed ?? 0 };
}
