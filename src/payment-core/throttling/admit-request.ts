import { clocksDifferMs } from '../../values/clocks-differ.js';
import { onlyEntityOf, type Caller, type CoreContext } from '../core/core-context.js';
import { sharedMoment } from '../core/shared-moment.js';
import { reading } from '../core/transactions.js';
import type { Operation } from '../core/throttling.js';

/**
 * Counts a request in the window of its operation and entity (operations 8). The count is stored in the database, so
 * that all processes share one limit, and its window follows the clock of the database: after a request to a machine
 * whose clock is ahead, all requests would otherwise share one window until then. A window that is far in the future
 * was counted while that clock was wrong, and is replaced. A refused request is not counted.
 *
 * @returns undefined when the request is admitted, otherwise the seconds until the next window begins
 */
export async function admitRequest(
  context: CoreContext,
  operation: Operation,
  caller: Caller,
): Promise<number | undefined> {
  const limit = context.throttling[operation];
  if (limit === undefined) return undefined;
  const { sql } = context;
  const now = sharedMoment(context, sql);
  const seconds = sql`${limit.windowSeconds}::float8`;
  const startedAt = sql`to_timestamp(floor(extract(epoch from ${now}) / ${seconds}) * ${seconds})`;
  const isNewer = sql`
        (excluded.started_at > w.started_at
          or w.started_at > ${now} + ${clocksDifferMs}::int * interval '1 millisecond')`;
  const admitted = await reading(
    () => sql`
      insert into throttle_windows as w (environment, operation, entity_id, started_at, requests)
      select ${context.environment}, ${operation}, ${onlyEntityOf(caller)}, ${startedAt}, 1
      where ${limit.requests}::int > 0
      on conflict (environment, operation, entity_id) do update
        set started_at = case when ${isNewer} then excluded.started_at else w.started_at end,
          requests = case when ${isNewer} then 1 else w.requests + 1 end
        where ${isNewer} or w.requests < ${limit.requests}::int
      returning 1`,
  );
  if (admitted.count === 1) return undefined;
  const lengthMs = limit.windowSeconds * 1000;
  return Math.ceil((lengthMs - (context.clock() % lengthMs)) / 1000);
}
