import { clocksDifferMs } from '../../values/clocks-differ.js';
import { onlyEntityOf, type Caller, type CoreContext } from '../core/core-context.js';
import { storedMoment } from '../values/moments.js';
import { reading } from '../core/transactions.js';
import type { Operation } from '../core/throttling.js';

/**
 * Counts a request in the window of its operation and entity (operations 8). The count is stored in the database, so
 * that all processes share one limit. A refused request is not counted. A window that is far in the future was counted
 * by a wrong clock and is replaced: otherwise the entity would share this one window until then.
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
  const lengthMs = limit.windowSeconds * 1000;
  const now = context.clock();
  const startedMs = now - (now % lengthMs);
  const startedAt = storedMoment(startedMs);
  const ahead = storedMoment(now + clocksDifferMs);
  const isNewer = context.sql`
        (excluded.started_at > w.started_at or w.started_at > ${ahead}::text::timestamptz)`;
  const admitted = await reading(
    () => context.sql`
      insert into throttle_windows as w (environment, operation, entity_id, started_at, requests)
      select ${context.environment}, ${operation}, ${onlyEntityOf(caller)}, ${startedAt}::text::timestamptz, 1
      where ${limit.requests}::int > 0
      on conflict (environment, operation, entity_id) do update
        set started_at = case when ${isNewer} then excluded.started_at else w.started_at end,
          requests = case when ${isNewer} then 1 else w.requests + 1 end
        where ${isNewer} or w.requests < ${limit.requests}::int
      returning 1`,
  );
  return admitted.count === 1 ? undefined : Math.ceil((startedMs + lengthMs - now) / 1000);
}
