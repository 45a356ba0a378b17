import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { planRows, type KindPlan, type PlanInput } from './kind-plan.js';

/**
 * Which registrations are removed: those that a merchant deleted long ago. Their account number was wiped then; what is
 * left is the name of the holder and the answer that it was deleted. The payments made with one keep its id. One whose
 * job is still active stays, because the job ends with the reason.
 */
export function planRegistrations(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { timezone } = input;
  return planRows('registrations', input, {
    list: (before) => tx<{ day: CalendarDate; hasJob: boolean; count: number; bytes: number }[]>`
      select (r.deleted_at at time zone ${timezone})::date::text as day, ${hasJob(tx)} as "hasJob",
        count(*)::integer as count, sum(pg_column_size(r.*))::float8 as bytes
      from registrations r where r.deleted_at < ${before}
      group by 1, 2`,
    remove: (change, last) => change`delete from registrations r
        where r.deleted_at < ${last} and not ${hasJob(change)}`,
  });
}

/** Of registration `r`. */
function hasJob(tx: Tx) {
  return tx`exists (select from jobs j where j.registration_id = r.id and j.status = 'active')`;
}
