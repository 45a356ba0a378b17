import type { Sql } from '../db/client.js';
import type { RunId } from '../values/ids.js';

/** A discrepancy that was found or resolved after one run and not later than another. */
export interface FindingDifference {
  readonly kind: 'added' | 'resolved';
  /** The run that found it first, or that resolved it. */
  readonly runId: RunId;
  readonly discrepancyId: string;
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

/**
 * What changed in the discrepancies after run `before` up to run `after`. One that was found and resolved in between is
 * listed twice. A finding keeps its first run when it is opened again, and no history of its values is kept.
 */
export async function compareRuns(
  sql: Sql,
  before: RunId,
  after: RunId,
): Promise<readonly FindingDifference[]> {
  const rows = await sql<FindingDifference[]>`
    select 'added' as kind, first_seen_run as "runId", id as "discrepancyId", code, severity, message
    from discrepancies where first_seen_run > ${before} and first_seen_run <= ${after}
    union all
    select 'resolved', resolved_run, id, code, severity, message
    from discrepancies where resolved_run > ${before} and resolved_run <= ${after}
    order by 1, 2, 4, 3`;
  return rows.map((row) => ({ ...row }));
}
