import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { planRows, type KindPlan, type PlanInput } from './kind-plan.js';

/**
 * Which jobs are removed: those that ended or were deleted long ago. Their payments stay. Such a job cannot be changed
 * any more, so nobody but a reader notices.
 */
export function planJobs(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { timezone } = input;
  return planRows('jobs', input, {
    list: (before) => tx<{ day: CalendarDate; count: number; bytes: number }[]>`
      select (updated_at at time zone ${timezone})::date::text as day, count(*)::integer as count,
        sum(pg_column_size(j.*))::float8 as bytes
      from jobs j where status <> 'active' and updated_at < ${before}
      group by 1`,
    remove: (change, last) => change`delete from jobs
        where status <> 'active' and updated_at < ${last}`,
  });
}

/**
 * Which fires of jobs are removed: the old ones, and with a job all of its fires. The last one of a job that stays says
 * what the job did last. A fire is recorded so that it makes one payment; the next fire of a job is always later than
 * those that it made.
 */
export function planFires(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { timezone } = input;
  return planRows('fires', input, {
    list: (before, last) => tx<{ day: CalendarDate; isNewest: boolean; count: number; bytes: number }[]>`
      select (fired_at at time zone ${timezone})::date::text as day, not ${mayGo(tx, last)} as "isNewest",
        count(*)::integer as count, sum(pg_column_size(r.*))::float8 as bytes
      from job_runs r where fired_at < ${before}
      group by 1, 2`,
    remove: (change, last) =>
      change`delete from job_runs r where fired_at < ${last} and ${mayGo(change, last)}`,
  });
}

/** Of fire `r`: it is not the last one of a job that stays. */
function mayGo(tx: Tx, last: string) {
  return tx`(
    exists (select from job_runs later where later.job_id = r.job_id and later.fired_at > r.fired_at)
    or not exists (select from jobs j where j.id = r.job_id and (j.status = 'active' or j.updated_at >= ${last})))`;
}
