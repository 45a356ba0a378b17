import type { Tx } from '../db/client.js';
import type { ChangedCell } from '../findings/changed-cell.js';
import { matchedPaymentIds } from '../findings/matched-payment-ids.js';
import type { RunId } from '../values/ids.js';

/** A record whose result of matching differs between two runs. */
export interface ResultDifference {
  /** The last run that changed it. */
  readonly runId: RunId;
  readonly source: string;
  readonly file: string;
  readonly line: number;
  readonly settlementTxId: string | null;
  readonly uniqueId: string | null;
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

/** The results that runs after `before` and not after `after` changed, in the order of the files. */
export async function changedResults(tx: Tx, before: RunId, after: RunId): Promise<ResultDifference[]> {
  const rows = await tx<ChangedResult[]>`
    select t.run_id as "runId", f.source, f.name as file, t.line, r.settlement_tx_id as "settlementTxId",
      r.unique_id as "uniqueId", v.before, v.after
    from (
      select file_id, line, max(run_id) as run_id from match_changes
      where run_id > ${before} and run_id <= ${after} group by file_id, line) t
    join settlement_files f on f.id = t.file_id
    left join settlement_records r on r.file_id = t.file_id and r.line = t.line
    cross join lateral (select ${resultAfter(tx, before)} as before, ${resultAfter(tx, after)} as after) v
    order by f.name, t.line, f.id`;
  return rows
    .map(({ before: was, after: is, ...record }) => ({ ...record, cells: cellsOf(was, is) }))
    .filter(({ cells }) => cells.length > 0);
}

/** The result of record `t` after a run: what the next run that changed it replaced, else the stored one. */
function resultAfter(tx: Tx, runId: RunId) {
  return tx`(
    select jsonb_build_object('status', known.status, 'matchedBy', known.matched_by,
      'matchedThrough', known.matched_through, 'payments', known.payments)
    from (
      select c.status, c.matched_by, c.matched_through, c.payments, c.run_id
      from match_changes c where c.file_id = t.file_id and c.line = t.line and c.run_id > ${runId}
      union all
      select m.status, m.matched_by, m.matched_through, ${matchedPaymentIds(tx)}, null
      from record_matches m where m.file_id = t.file_id and m.line = t.line
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
