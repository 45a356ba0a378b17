import type { Fragment, Tx } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import { paymentsWithKeys, rowsAtPlaces } from '../db/shards/rows-by-key.js';
import { candidateIds } from '../findings/candidate-ids.js';
import type { ChangedCell } from '../findings/changed-cell.js';
import { matchedPaymentIds } from '../findings/matched-payment-ids.js';
import type { RunId } from '../values/ids.js';
import { batchSize } from './listing.js';

/** A record whose result of matching differs between two runs. */
export interface ResultDifference {
  /** The last run that changed it. */
  readonly runId: RunId;
  /** The source of its file. */
  readonly source: string;
  /** The name of the settlement file. */
  readonly file: string;
  /** The first physical line of the record. */
  readonly line: number;
  readonly settlementTxId: string | null;
  readonly uniqueId: string | null;
  /** MatchingStatus, MatchedBy and the like; never empty. */
  readonly cells: readonly ChangedCell[];
}

interface StoredResult {
  readonly status: string | null;
  readonly matchedBy: string | null;
  readonly matchedThrough: string | null;
  readonly payments: string | null;
}

type ChangedResult = Omit<ResultDifference, 'cells'> & {
  readonly before: StoredResult;
  readonly after: StoredResult;
};

/** The results that runs after `before` and not after `after` changed, in the order of the files, in batches. */
export async function* changedResults(
  tx: Tx,
  before: RunId,
  after: RunId,
): AsyncGenerator<ResultDifference[]> {
  const isOnShards = await isDivided(tx);
  const changed = tx`
    select file_id, line, max(run_id) as run_id from match_changes
    where run_id > ${before} and run_id <= ${after} group by file_id, line`;
  const places = tx`select file_id, line from (${changed}) c`;
  const stored = storedResults(tx, isOnShards, places);
  const results = (runId: RunId) => resultAfter(tx, runId, stored);
  const rows = tx<ChangedResult[]>`
    select t.run_id as "runId", f.source, f.name as file, t.line, r.settlement_tx_id as "settlementTxId",
      r.unique_id as "uniqueId", v.before, v.after
    from (${changed}) t
    join settlement_files f on f.id = t.file_id
    left join ${rowsAtPlaces(tx, isOnShards, 'settlement_records', places)} r on r.file_id = t.file_id and r.line = t.line
    ${stored.join}
    cross join lateral (select ${results(before)} as before, ${results(after)} as after) v
    order by f.name, t.line, f.id`;
  for await (const batch of rows.cursor(batchSize)) {
    yield batch
      .map(({ before: was, after: is, ...record }) => ({ ...record, cells: cellsOf(was, is) }))
      .filter(({ cells }) => cells.length > 0);
  }
}

/** How a statement over `t` (file_id, line) reads the stored result of each record. */
interface StoredResults {
  /** Follows its other joins; empty without shards. */
  readonly join: Fragment;
  /** Selects status, matched_by, matched_through and payments. */
  readonly rows: Fragment;
}

/** With shards, results and the payments that they name are fetched together, not one by one. */
function storedResults(tx: Tx, isOnShards: boolean, places: Fragment): StoredResults {
  if (!isOnShards)
    return {
      join: tx``,
      rows: tx`select m.status, m.matched_by, m.matched_through, ${matchedPaymentIds(tx)}, null
        from record_matches m where m.file_id = t.file_id and m.line = t.line`,
    };
  const results = rowsAtPlaces(tx, isOnShards, 'record_matches', places);
  const candidates = candidateIds(tx, isOnShards, places);
  const keys = tx`select m.payment_key from ${results} m`;
  return {
    join: tx`left join (
        select m.*, ${matchedPaymentIds(tx, tx`matched.id`, undefined, candidates.ids)} as payments
        from ${results} m
        left join ${paymentsWithKeys(tx, isOnShards, keys)} matched
          on matched.key = m.payment_key
        ${candidates.join}
      ) stored on stored.file_id = t.file_id and stored.line = t.line`,
    rows: tx`select stored.status, stored.matched_by, stored.matched_through, stored.payments, null
      where stored.file_id is not null`,
  };
}

/** The result of record `t` after a run: what the next run that changed it replaced, else the stored one. */
function resultAfter(tx: Tx, runId: RunId, stored: StoredResults) {
  return tx`(
    select jsonb_build_object('status', known.status, 'matchedBy', known.matched_by,
      'matchedThrough', known.matched_through, 'payments', known.payments)
    from (
      select c.status, c.matched_by, c.matched_through, c.payments, c.run_id
      from match_changes c where c.file_id = t.file_id and c.line = t.line and c.run_id > ${runId}
      union all
      ${stored.rows}
    ) known order by known.run_id nulls last limit 1)`;
}

function cellsOf(before: StoredResult, after: StoredResult): ChangedCell[] {
  const columns = [
    ['MatchingStatus', 'status'],
    ['MatchedTransactions', 'payments'],
    ['MatchedBy', 'matchedBy'],
    ['MatchedThrough', 'matchedThrough'],
  ] as const;
  return columns
    .filter(([, name]) => before[name] !== after[name])
    .map(([column, name]) => ({ column, before: before[name], after: after[name] }));
}
