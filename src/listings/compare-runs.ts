import type { Tx } from '../db/client.js';
import type { RunId } from '../values/ids.js';
import { changedFindings, type FindingDifference } from './changed-findings.js';
import { changedResults, type ResultDifference } from './changed-results.js';
import { batches, type Batches } from './listing.js';

/** A settlement file that was loaded after the first run. */
export interface AddedFile {
  /** The run that loaded it. */
  readonly runId: RunId;
  /** The source that delivered it. */
  readonly source: string;
  readonly name: string;
  /** Of its bytes, as 64 hexadecimal digits. */
  readonly sha256: string;
  /** Those that no earlier file brought. */
  readonly records: number;
}

/** What changed after one run up to another: the files, the discrepancies, and the results of earlier records. */
export interface RunComparison {
  readonly files: readonly AddedFile[];
  readonly differences: Batches<FindingDifference>;
  /** Records that were stored before and now have another result. */
  readonly results: Batches<ResultDifference>;
}

/** What changed after run `before` up to run `after`; to be read in this transaction. */
export async function compareRuns(tx: Tx, before: RunId, after: RunId): Promise<RunComparison> {
  return {
    files: await addedFiles(tx, before, after),
    differences: batches(() => changedFindings(tx, before, after)),
    results: batches(() => changedResults(tx, before, after)),
  };
}

/** A file stays one that was loaded when its records are retired; a rejected file of their month is retired, too. */
async function addedFiles(tx: Tx, before: RunId, after: RunId): Promise<AddedFile[]> {
  const rows = await tx<AddedFile[]>`
    select finished_run_id as "runId", source, name, sha256, rows_accepted - rows_already_known as records
    from settlement_files
    where status in ('loaded', 'retired') and error_code is null
      and finished_run_id > ${before} and finished_run_id <= ${after}
    order by finished_run_id, id`;
  return rows.map((row) => ({ ...row }));
}
