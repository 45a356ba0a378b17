import type { Sql, Tx } from '../../db/client.js';

/**
 * A condition on the row `r` of `runs`: the run is active, and its last heartbeat is so recent that no other run may
 * take over (`src/db/try-run-lock.ts`).
 */
export const runResponds = (sql: Sql | Tx) =>
  sql`r.status = 'running' and r.heartbeat_at > clock_timestamp() - interval '60 seconds'`;

/** A condition on a row of `workers`: the worker has looked for a run within the last seconds. */
export const workerResponds = (sql: Sql | Tx) => sql`seen_at > clock_timestamp() - interval '20 seconds'`;
