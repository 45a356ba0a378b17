import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { planRows, type KindPlan, type PlanInput } from './kind-plan.js';

/**
 * Which checkouts are removed: those that expired long ago without a payment. Since they expired, their status has been
 * answered as if they did not exist, so nobody notices. One with a payment stays, declined ones included: its status
 * shows the payment.
 */
export function planCheckouts(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { timezone } = input;
  return planRows('checkouts', input, {
    list: (before) => tx<{ day: CalendarDate; hasPayment: boolean; count: number; bytes: number }[]>`
      select (c.expires_at at time zone ${timezone})::date::text as day, ${hasPayment(tx)} as "hasPayment",
        count(*)::integer as count, sum(pg_column_size(c.*))::float8 as bytes
      from checkouts c where c.expires_at < ${before}
      group by 1, 2`,
    remove: (change, last) => change`delete from checkouts c
        where c.expires_at < ${last} and not ${hasPayment(change)}`,
  });
}

/** Of checkout `c`. */
function hasPayment(tx: Tx) {
  return tx`exists (select from payment_details d where d.checkout_id = c.id)`;
}
