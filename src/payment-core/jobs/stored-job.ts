import type { Sql, Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import { lockClause, type WantedRow } from '../core/row-lock.js';
import type { ParameterValues } from '../fields/parameters.js';
import { exclusiveEnd } from './job-times.js';

/** A schedule (catalogue 2.24) as it is stored. `parameters` are those of its payments. */
export interface StoredJob {
  readonly id: string;
  readonly registrationId: string;
  readonly entityId: string | null;
  readonly expression: string;
  readonly parameters: ParameterValues;
  readonly status: 'active' | 'ended' | 'deleted';
  /** Epoch milliseconds. */
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly nextRunAt: number | null;
  /** The total of skipped fires, and the planned moments of the last gap. */
  readonly skippedFires: number;
  readonly skippedFrom: number | null;
  readonly skippedTo: number | null;
}

/** The columns of a job as one JSON document. */
export function selectJob(sql: Sql | Tx) {
  return sql`jsonb_build_object('id', id, 'registrationId', registration_id, 'entityId', entity_id,
    'expression', expression, 'parameters', parameters, 'status', status,
    'startsAt', floor(extract(epoch from starts_at) * 1000)::bigint,
    'endsAt', floor(extract(epoch from ends_at) * 1000)::bigint,
    'nextRunAt', floor(extract(epoch from next_run_at) * 1000)::bigint,
    'skippedFires', skipped_fires,
    'skippedFrom', floor(extract(epoch from skipped_from) * 1000)::bigint,
    'skippedTo', floor(extract(epoch from skipped_to) * 1000)::bigint)::text as job`;
}

/** A row that `selectJob` selects; `readJob` reads it. */
export interface JobRow {
  readonly job: string;
}

/** The job, with the end that a job of this version has. */
export function readJob(row: JobRow): StoredJob {
  // `selectJob` builds the document.
  const job = JSON.parse(row.job) as StoredJob;
  const endsAt = exclusiveEnd(job.parameters, job);
  if (endsAt === job.endsAt) return job;
  const runsAgain = job.nextRunAt !== null && endsAt !== null && job.nextRunAt <= endsAt;
  return { ...job, endsAt, nextRunAt: runsAgain ? job.nextRunAt : null };
}

/** The job with this id, if the caller may see it. */
export async function findJob(
  context: CoreContext,
  sql: Sql | Tx,
  { id, caller, lock }: WantedRow,
): Promise<StoredJob | undefined> {
  const [row] = await sql<JobRow[]>`
    select ${selectJob(sql)} from jobs
    where id = ${id} and environment = ${context.environment}
      and ${ofEntities(sql, 'entity_id', caller.entityIds)}
    ${lockClause(sql, lock)}`;
  return row === undefined ? undefined : readJob(row);
}
