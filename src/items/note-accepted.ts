import type { Fragment, Tx } from '../db/client.js';
import { itemRows, prepareView, type ItemView, type PreparedView } from './item-rows.js';
import { unsettledFindings, unsettledWithDecision } from './settled-findings.js';

/** After this many new notes, statistics are collected at once, not at the next autovacuum. */
const analyzeFrom = 1_000;

/** Up to this many ids are kept, so that they are not listed once more. */
const mostIds = 1_000;

/**
 * Notes in each finding whether it is accepted now, and what is at risk in it: see `src/items/settled-findings.ts`.
 * Only findings without a note and those that somebody decided about since the last run are compared. A re-run usually
 * has none.
 *
 * The number of the latest decision is read first: a decision that is made meanwhile has a later one, and a finding
 * that it is about is compared again, whether this run saw it or not.
 *
 * A finding about a booked chargeback gets no note: the core changes the amount of a booking.
 */
export async function noteAccepted(tx: Tx, view: ItemView): Promise<void> {
  const prepared = await prepareView(tx, view);
  // The ids are listed first: else every open item is joined with its record and payment, and few have a decision.
  const compared = tx`
      ${unsettledWithDecision(tx, prepared, tx`x.kind = 'accept'`)}
      union all
      select id from ${unsettledFindings(tx, prepared)} u where accepted_at_risk_minor is not null`;
  const [latest] = await tx<{ number: string; ids: string[]; count: number }[]>`
    select (select coalesce(max(number), 0)::text from decisions) as number, c.ids[1:${mostIds}] as ids,
      cardinality(c.ids) as count
    from (select array(${compared}) as ids offset 0) c`;
  const { number = '0', ids = [], count = 0 } = latest ?? {};
  if (count > 0) await compareAndNote(tx, prepared, count > ids.length ? compared : idList(tx, ids));
  await tx`insert into accept_checks (last_decision) values (${number})
    on conflict (singleton) do update set last_decision = excluded.last_decision`;
}

/** In one text parameter, because the driver would guess the type of a list. */
function idList(tx: Tx, ids: readonly string[]): Fragment {
  return tx`select unnest(string_to_array(${ids.join(',')}, ','))`;
}

/** @param compared the ids of the findings to compare: a select */
async function compareAndNote(tx: Tx, view: PreparedView, compared: Fragment): Promise<void> {
  const isBooking = tx`exists (select from payments b where b.key = i.payment_key and b.payment_type in ('CB', 'CR'))`;
  const wanted = tx`d.id = any (array(${compared}))`;
  const rows = itemRows(tx, view, { wanted });
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
}
