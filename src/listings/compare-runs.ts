import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import type { ChangedCell } from '../findings/changed-cell.js';
import type { DiscrepancyId, RunId } from '../values/ids.js';
import { changedResults, type ResultDifference } from './changed-results.js';
import { valuesOfFindings, type FindingValues } from './finding-values.js';

/** A discrepancy that was found, resolved, opened again or changed after one run and not later than another. */
export interface FindingDifference {
  readonly kind: 'added' | 'resolved' | 'reopened' | 'changed';
  /** The run that found or resolved it, or the last one that changed it. */
  readonly runId: RunId;
  readonly discrepancyId: DiscrepancyId;
  readonly code: string;
  readonly severity: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly paymentId: string | null;
  readonly message: string;
  /** Of one that was changed or opened again. */
  readonly cells: readonly ChangedCell[];
}

/** A settlement file that was loaded after the first run. */
export interface AddedFile {
  readonly runId: RunId;
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  /** Those that no earlier file brought. */
  readonly records: number;
}

export interface RunComparison {
  readonly files: readonly AddedFile[];
  readonly differences: readonly FindingDifference[];
  /** Records that were stored before and now have another result. */
  readonly results: readonly ResultDifference[];
}

/**
 * What changed after run `before` up to run `after`: the files, the discrepancies, and the results of records that
 * were stored before. A discrepancy that was found and resolved in between is listed twice.
 */
export async function compareRuns(sql: Sql, before: RunId, after: RunId): Promise<RunComparison> {
  return inOwnTransaction(
    sql,
    async (tx) => ({
      files: await addedFiles(tx, before, after),
      differences: (await valuesOfFindings(tx, before, after)).flatMap(differenceOf).sort(inOrder),
      results: await changedResults(tx, before, after),
    }),
    'isolation level repeatable read read only',
  );
}

async function addedFiles(tx: Tx, before: RunId, after: RunId): Promise<AddedFile[]> {
  const rows = await tx<AddedFile[]>`
    select finished_run_id as "runId", source, name, sha256, rows_accepted - rows_already_known as records
    from settlement_files
    where status = 'loaded' and finished_run_id > ${before} and finished_run_id <= ${after}
    order by finished_run_id, id`;
  return rows.map((row) => ({ ...row }));
}

function differenceOf({ before, after, changedBy, ...finding }: FindingValues): FindingDifference[] {
  const { firstSeenRun, file, line, paymentId, discrepancyId, code, message } = finding;
  const entry = (
    kind: FindingDifference['kind'],
    runId: RunId,
    cells: readonly ChangedCell[] = [],
  ): FindingDifference => ({
    ...{ kind, runId, discrepancyId, code, severity: after.Severity ?? '', file, line, paymentId, message },
    cells,
  });
  const isOpen = after.State === 'open';
  if (before === null) {
    return [
      entry('added', firstSeenRun),
      ...(isOpen ? [] : [entry('resolved', after.resolvedRun ?? changedBy)]),
    ];
  }
  const cells = changedCells(before, after);
  if (before.State === 'open' && !isOpen) return [entry('resolved', after.resolvedRun ?? changedBy)];
  if (before.State !== 'open' && isOpen) return [entry('reopened', changedBy, cells)];
  return isOpen && cells.length > 0 ? [entry('changed', changedBy, cells)] : [];
}

const columns = ['State', 'Severity', 'Record', 'Amount', 'Expected', 'Actual', 'Difference'] as const;

function changedCells(before: FindingValues['after'], after: FindingValues['after']): readonly ChangedCell[] {
  return columns
    .filter((column) => before[column] !== after[column])
    .map((column) => ({ column, before: before[column], after: after[column] }));
}

function inOrder(a: FindingDifference, b: FindingDifference): number {
  const key = ({ kind, runId, code, discrepancyId }: FindingDifference) =>
    [kind, runId.toString().padStart(10, '0'), code, discrepancyId].join(' ');
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}
