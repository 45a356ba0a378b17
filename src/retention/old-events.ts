import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { planRows, type KindPlan, type PlanInput } from './kind-plan.js';

/**
 * Which notifications go: old events of payments and registrations, with what was noted about their delivery. One that
 * a webhook is still to receive waits. So does one that no webhook was to receive and no program acknowledged, in an
 * environment where a program does acknowledge.
 */
export function planEvents(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { timezone } = input;
  return planRows('events', input, {
    list: (before) => tx<{ day: CalendarDate; isWaiting: boolean; count: number; bytes: number }[]>`
      select (e.occurred_at at time zone ${timezone})::date::text as day, ${isWaiting(tx)} as "isWaiting",
        count(*)::integer as count, sum(pg_column_size(e.*))::float8 as bytes
      from payment_events e where e.occurred_at < ${before}
      group by 1, 2`,
    remove: (change, last) => change`
        with gone as (
          delete from payment_events e
          where e.occurred_at < ${last} and not ${isWaiting(change)}
          returning e.sequence)
        delete from webhook_deliveries d using gone where d.sequence = gone.sequence`,
  });
}

/** Of event `e`. */
function isWaiting(tx: Tx) {
  return tx`(exists (select from webhook_deliveries d where d.sequence = e.sequence and d.status = 'waiting')
    or (e.acknowledged_at is null and not exists (select from webhook_deliveries d where d.sequence = e.sequence)
      and exists (select from payment_events read where read.environment = e.environment
        and read.acknowledged_at is not null)))`;
}
