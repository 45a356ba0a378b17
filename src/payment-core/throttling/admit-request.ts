import type { CoreContext } from '../core/core-context.js';
import { storedMoment } from '../core/moments.js';
import { reading } from '../core/transactions.js';

/** The operations that can be limited, each on its own. */
export const operations = [
  'payments.create',
  'payments.get',
  'payments.reference',
  'payments.complete',
  'registrations.create',
  'registrations.get',
  'registrations.delete',
  'registrations.pay',
  'checkouts.create',
  'checkouts.get',
  'checkouts.update',
  'checkouts.pay',
  'chargebacks.book',
  'chargebacks.reverse',
  'migrations.create',
  'query',
  'reporting.summary',
  'reporting.details',
  'jobs.create',
  'jobs.get',
  'jobs.update',
  'jobs.delete',
] as const;

export type Operation = (typeof operations)[number];

export interface Limit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** Limits by operation; an operation without one is not limited. */
export type Throttling = Readonly<Partial<Record<Operation, Limit>>>;

/**
 * Counts a request in the window of its operation (operations 8). The count lives in the database, so that
 * all processes share one limit; a refused request is not counted.
 *
 * @returns false when the window is full
 */
export async function admitRequest(context: CoreContext, operation: Operation): Promise<boolean> {
  const limit = context.throttling[operation];
  if (limit === undefined) return true;
  const lengthMs = limit.windowSeconds * 1000;
  const now = context.clock();
  const startedAt = storedMoment(now - (now % lengthMs));
  const admitted = await reading(
    () => context.sql`
      insert into throttle_windows as w (environment, operation, started_at, requests)
      select ${context.environment}, ${operation}, ${startedAt}::text::timestamptz, 1
      where ${limit.requests}::int > 0
      on conflict (environment, operation) do update
        set started_at = greatest(w.started_at, excluded.started_at),
          requests = case when excluded.started_at > w.started_at then 1 else w.requests + 1 end
        where excluded.started_at > w.started_at or w.requests < ${limit.requests}::int
      returning 1`,
  );
  return admitted.count === 1;
}
