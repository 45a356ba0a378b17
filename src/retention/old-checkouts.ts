import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { judge } from './judge.js';
import { momentOf, nothingGoes, removedBefore, type KindPlan, type PlanInput } from './kind-plan.js';
import { Tally } from './tally.js';

/**
 * Which checkouts go: those that expired long ago without a payment. Since they expired, their status has been answered
 * as if they did not exist, so nobody notices. One with a payment stays, declined ones included: its status shows the
 * payment.
 */
export async function planCheckouts(tx: Tx, { limits, timezone }: PlanInput): Promise<KindPlan> {
  const { checkouts: before } = limits.before;
  const tally = new Tally('checkouts', before);
  if (before === null) return nothingGoes(tally);
  const groups = await tx<{ day: CalendarDate; hasPayment: boolean; count: number; bytes: number }[]>`
    select (c.expires_at at time zone ${timezone})::date::text as day, ${hasPayment(tx)} as "hasPayment",
      count(*)::integer as count, sum(pg_column_size(c.*))::float8 as bytes
    from checkouts c where c.expires_at < ${momentOf(before, timezone)}
    group by 1, 2`;
  for (const group of groups) tally.add(judge('checkouts', group, limits), group);
  return {
    sums: tally.sums(),
    apply: async (change) => {
      await change`delete from checkouts c
        where c.expires_at < ${momentOf(removedBefore(limits, before), timezone)} and not ${hasPayment(change)}`;
    },
  };
}

/** Of checkout `c`. */
function hasPayment(tx: Tx) {
  return tx`exists (select from payment_details d where d.checkout_id = c.id)`;
}
