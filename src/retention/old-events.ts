import type { Tx } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { planRows, type KindPlan, type PlanInput } from './kind-plan.js';

/**
 * Which notifications are removed: old events of payments and registrations, with what was noted about their delivery.
 * One that a webhook is still to receive waits. So does one that no webhook was to receive and no program acknowledged,
 * in an environment where a program does acknowledge.
 */
export function planEvents(tx: Tx, input: PlanInput): Promise<KindPlan> {
  const { timezone } = input;
  return planRows('events', input, {
    list: (before) => tx<{ day: CalendarDate; isWaiting: boolean; count: number; bytes: number }[]>`
      select (e.occurred_at at time zone ${timezone})::date::text as day, e.is_waiting as "isWaiting",
        count(*)::integer as count, sum(e.bytes)::float8 as bytes
      from (${oldEvents(tx, before)}) e
      group by 1, 2`,
    remove: (change, last) => change`
        with gone as (
          delete from payment_events
          where sequence = any (array(select e.sequence from (${oldEvents(change, last)}) e where not e.is_waiting))
          returning sequence)
        delete from webhook_deliveries where ctid = any (array(
          select d.place from (select sequence, ctid as place from webhook_deliveries offset 0) d
          full join gone on gone.sequence = d.sequence
          where coalesce(d.place is not null and gone.sequence is not null, false)))`,
  });
}

/**
 * The events before a moment, and whether they wait. Events and their deliveries are each read once: when the
 * deliveries of each event were looked up, a server with little memory for each step (`work_mem`) read their whole
 * index for each. The server never makes a full join a loop within a loop; its condition is hidden, so that it stays
 * a full join.
 */
function oldEvents(tx: Tx, before: string) {
  return tx`
        select e.sequence, e.occurred_at, e.bytes,
          coalesce(d.waits, e.acknowledged_at is null and e.environment = any (array(${readEnvironments(tx)}))) as is_waiting
        from (
          select sequence, occurred_at, environment, acknowledged_at, pg_column_size(payment_events.*) as bytes
          from payment_events where occurred_at < ${before} offset 0) e
        full join (
          select sequence, bool_or(status = 'waiting') as waits from webhook_deliveries group by sequence) d
          on d.sequence = e.sequence
        where coalesce(e.sequence is not null, false)`;
}

/** The environments in which a program acknowledges events. */
function readEnvironments(tx: Tx) {
  return tx`
            select known.environment from (values ('test'), ('live')) known (environment)
            where exists (select from payment_events read
              where read.environment = known.environment and read.acknowledged_at is not null)`;
}
