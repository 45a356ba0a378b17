import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';

/** The words that `recon jobs list --status` takes. */
export const jobStatuses = ['active', 'ended', 'deleted'] as const;

/** A schedule of payments, and its latest fire. */
export interface ListedJob {
  readonly id: string;
  readonly status: (typeof jobStatuses)[number];
  readonly environment: string;
  readonly entityId: string | null;
  readonly registrationId: string;
  readonly name: string | null;
  readonly expression: string;
  readonly amount: string | null;
  readonly currency: string | null;
  /** ISO moments in UTC; null when it fires no more, or did not fire yet. */
  readonly nextRunAt: string | null;
  readonly lastFiredAt: string | null;
  readonly lastPaymentId: string | null;
  readonly lastResultCode: string | null;
  /** Fires that were missed and skipped (`job.misfirePolicy`). */
  readonly skippedFires: number;
}

/** The schedules, the one that fires next first. */
export function jobList(status: ListedJob['status'] | null): ListSource<ListedJob> {
  return listSource<ListedJob, ListedJob>(
    (tx) => ({
      rows: tx`
        select j.id, j.status, j.environment, j.entity_id as "entityId", j.registration_id as "registrationId",
          j.name, j.expression, j.parameters ->> 'amount' as amount, j.parameters ->> 'currency' as currency,
          j.next_run_at as "nextRunAt", r.fired_at as "lastFiredAt", r.payment_id as "lastPaymentId",
          r.result_code as "lastResultCode", j.skipped_fires as "skippedFires"
        from jobs j left join lateral (
          select fired_at, payment_id, result_code from job_runs where job_id = j.id
          order by fired_at desc limit 1
        ) r on true
        where ${status}::text is null or j.status = ${status}::text
        order by j.next_run_at nulls last, j.id`,
      total: tx`select count(*)::integer as total from jobs
        where ${status}::text is null or status = ${status}::text`,
    }),
    (job) => ({ ...job, nextRunAt: isoMoment(job.nextRunAt), lastFiredAt: isoMoment(job.lastFiredAt) }),
  );
}
