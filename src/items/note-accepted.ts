import type { Tx } from '../db/client.js';
import { itemRows, withShards, type ItemView } from './item-rows.js';
import { unsettledFindings } from './settled-findings.js';

/** After this many new notes, statistics are collected at once, not at the next autovacuum. */
const analyzeFrom = 1_000;

/**
 * Notes in each finding whether it is accepted now, and what is at risk in it: see `src/items/settled-findings.ts`.
 * Only findings without a note and those that somebody decided about since the last run are compared.
 *
 * The number of the latest decision is read first: a decision that is made meanwhile has a later one, and a finding
 * that it is about is compared again, whether this run saw it or not.
 *
 * A finding about a booked chargeback gets no note: the core changes the amount of a booking.
 */
export async function noteAccepted(tx: Tx, view: ItemView): Promise<void> {
  const [latest] = await tx<{ number: string }[]>`
    select coalesce(max(number), 0)::text as number from decisions`;
  const shardAware = await withShards(tx, view);
  const isBooking = tx`exists (select from payments b where b.key = i.payment_key and b.payment_type in ('CB', 'CR'))`;
  // The ids are listed first: else every open item is joined with its record and payment, and few have a decision.
  const wanted = tx`d.id = any (array(
      select item from decisions where kind = 'accept'
        and item in (select id from ${unsettledFindings(tx, shardAware)} u)
      union all
      select id from ${unsettledFindings(tx, shardAware)} u where accepted_at_risk_minor is not null))`;
  const rows = itemRows(tx, shardAware, { wanted });
  const noted = await tx`
    update discrepancies d set accepted_at_risk_minor = i.minor, accepted_currency = i.currency
    from (
      select id, case when settles then at_risk_minor end as minor, case when settles then currency end as currency
      from (
        select i.id, i.at_risk_minor, i.currency, i.status = 'ACCEPTED' and not ${isBooking} as settles
        from (${rows}) i) i
    ) i
    where d.id = i.id
      and (d.accepted_at_risk_minor, d.accepted_currency) is distinct from (i.minor, i.currency collate "C")`;
  // The planner would expect that all of them are still to be compared.
  if (noted.count >= analyzeFrom) await tx`analyze discrepancies (is_settled)`;
  await tx`insert into accept_checks (last_decision) values (${latest?.number ?? '0'})
    on conflict (singleton) do update set last_decision = excluded.last_decision`;
}
