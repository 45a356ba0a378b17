import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { judge } from './judge.js';
import { momentOf, nothingGoes, removedBefore, type KindPlan, type PlanInput } from './kind-plan.js';
import { Tally } from './tally.js';

/**
 * Which registrations go: those that a merchant deleted long ago. Their account number went at once; what is left is
 * the name of the holder and the answer that it was deleted. The payments made with one keep its id. One whose job is
 * still active stays, because the job ends with the reason.
 */
export async function planRegistrations(tx: Tx, { limits, timezone }: PlanInput): Promise<KindPlan> {
  const { registrations: before } = limits.before;
  const tally = new Tally('registrations', before);
  if (before === null) return nothingGoes(tally);
  const groups = await tx<{ day: CalendarDate; hasJob: boolean; count: number; bytes: number }[]>`
    select (r.deleted_at at time zone ${timezone})::date::text as day, ${hasJob(tx)} as "hasJob",
      count(*)::integer as count, sum(pg_column_size(r.*))::float8 as bytes
    from registrations r where r.deleted_at < ${momentOf(before, timezone)}
    group by 1, 2`;
  for (const group of groups) tally.add(judge('registrations', group, limits), group);
  return {
    sums: tally.sums(),
    apply: async (change) => {
      await change`delete from registrations r
        where r.deleted_at < ${momentOf(removedBefore(limits, before), timezone)} and not ${hasJob(change)}`;
    },
  };
}

/** Of registration `r`. */
function hasJob(tx: Tx) {
  return tx`exists (select from jobs j where j.registration_id = r.id and j.status = 'active')`;
}
