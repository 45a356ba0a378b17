import type { Fragment, Reader } from '../db/client.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { isDivided } from '../db/shards/is-divided.js';
import { areOpenFindingsFew, recordsOfFindings } from '../db/look-up-records.js';
import { candidateIds } from '../findings/candidate-ids.js';
import { standingKinds } from '../findings/open-item.js';
import { atRiskMinor, factsHash, inItsCurrency, itemAmount } from './item-facts.js';

/** The settings that the state of items depends on. */
export interface ItemView {
  /** The day to which days are counted, and on which a wait may be over. */
  readonly asOf: CalendarDate;
  /** IANA time zone that determines the day of a payment. */
  readonly timezone: string;
}

/** The view of a list, with what decides how some of its statements are written. */
export interface PreparedView extends ItemView {
  /** Whether the payments are on shards. */
  readonly isOnShards: boolean;
  /** Whether the records of the findings are looked up: those of open ones, unless the list is about others. */
  readonly looksUpRecords: boolean;
}

/** Which discrepancies are selected as items. */
export interface WantedItems {
  /** Rows of `discrepancies`; all of them if it is left out. */
  readonly from?: Fragment;
  /** A condition over `d` (discrepancies), `r` (settlement_records) and `p` (payments). */
  readonly wanted?: Fragment;
  /** A condition over `d` alone that all wanted items fulfil: with shards, only their candidates are fetched. */
  readonly only?: Fragment;
  /** Whether there may be resolved items among them: there may be as many as records. */
  readonly mayBeResolved?: boolean;
}

/** Reads from the database what decides how some statements are written. */
export async function prepareView(sql: Reader, view: ItemView): Promise<PreparedView> {
  return { ...view, isOnShards: await isDivided(sql), looksUpRecords: await areOpenFindingsFew(sql) };
}

/**
 * Items with their state (design 4.9): a fragment that selects a row per discrepancy.
 *
 * - The latest accept, wait, link, unlink, supersede or keep-both that was not taken back stands.
 * - An accept or wait holds only for the facts that it saw. If they return, it holds again.
 * - A wait ends on its date: on that day the item is open.
 * - An accept that needs a second person counts once it is approved.
 *
 * A column that a statement does not use costs nothing: the planner drops it. The hash of the facts is computed only
 * for items with a decision, unless `facts` is selected; that is why items without one are sorted out first in each
 * case.
 *
 * Decisions are looked up for each finding in turn. The planner cannot know how many findings an active run resolved or
 * left open; when decisions were one list, it expected one finding, and read the list again for each of 650. For the
 * same reason, no condition may be over decisions: the planner would begin with them.
 */
export function itemRows(
  sql: Reader,
  { asOf, timezone, isOnShards, looksUpRecords }: PreparedView,
  { from = sql`discrepancies`, wanted = sql`true`, only, mayBeResolved = false }: WantedItems,
): Fragment {
  const records = only && sql`select d.file_id, d.line from discrepancies d where ${only}`;
  const candidates = candidateIds(sql, isOnShards, records);
  const facts = factsHash(sql, candidates.ids);
  const { amountMinor, currency } = itemAmount(sql);
  const approved = sql`exists (select from decisions ok where ok.item = d.id and ok.kind = 'approve'
    and ok.refers_to = s.number and ${isActive(sql, sql`ok.number`)})`;
  return sql`
    select d.id, d.code, d.severity, ${inItsCurrency(sql, sql`d.expected`)} as expected,
      ${inItsCurrency(sql, sql`d.actual`)} as actual, d.message, d.first_seen_run, d.resolved_run,
      (case
        when d.resolved_run is not null then 'RESOLVED'
        when s.number is null then 'OPEN'
        when s.kind = 'accept' and s.basis = ${facts} and (not s.needs_approval or ${approved}) then 'ACCEPTED'
        when s.kind = 'wait' and s.until > ${asOf}::date and s.basis = ${facts} then 'WAITING'
        else 'OPEN' end) as status,
      (case when s.number is null or d.resolved_run is not null then false
        else coalesce(s.basis <> ${facts} and (s.kind = 'accept' or (s.kind = 'wait' and s.until > ${asOf}::date)),
          false) end) as lapsed,
      (case when s.number is null or d.resolved_run is not null then false
        else coalesce(s.kind = 'accept' and s.needs_approval and s.basis = ${facts} and not ${approved},
          false) end) as pending,
      ${amountMinor} as amount_minor, ${currency} as currency, ${atRiskMinor(sql)} as at_risk_minor,
      seen.as_of as since, greatest(${asOf}::date - seen.as_of, 0) as age_days,
      coalesce(r.merchant_account_id, p.entity_id) as merchant_account_id,
      coalesce(r.payment_type, p.payment_type) as payment_type,
      coalesce(r.settlement_date, (p.requested_at at time zone ${timezone})::date) as date,
      d.file_id, d.line, m.status as matching_status, m.payment_key as matched_payment_key,
      coalesce(d.payment_key, m.payment_key) as payment_key, p.id as payment_id, p.merchant_transaction_id,
      f.name as file, f.source, r.reconciliation_type, r.settlement_tx_id, r.clearing_institute_name,
      s.number as standing, s.kind::text as decision, s.until, s.payment_key as link_key, s.reason,
      s.author as decided_by, s.decided_on, nullif(assigned.assignee, '') as assignee, noted.note,
      coalesce(h.last_number, 0) as last_number,
      ${facts} as facts
    from ${from} d
    left join runs seen on seen.id = d.first_seen_run
    left join settlement_files f on f.id = d.file_id
    ${recordsOfFindings(sql, looksUpRecords && !mayBeResolved)}
    left join record_matches m on m.file_id = d.file_id and m.line = d.line
    left join payments p on p.key = coalesce(d.payment_key, m.payment_key)${candidates.join}
    left join lateral (${latestDecisions(sql)}) h on true
    left join decisions s on s.number = h.standing
    left join decisions assigned on assigned.number = h.assigned
    left join decisions noted on noted.number = h.noted
    where ${wanted}`;
}

/**
 * The items of these ids, as `itemRows` has them. Only their decisions are read: for 50 items among 600,000 decided
 * ones, reading the decisions of all the others took more than a second.
 */
export function itemRowsOf(
  sql: Reader,
  view: PreparedView,
  ids: readonly string[],
  wanted: Fragment = sql`true`,
): Fragment {
  const listed = sql`any (string_to_array(${ids.join(',')}, ','))`;
  const only = sql`d.id = ${listed}`;
  return itemRows(sql, view, { wanted: sql`d.id = ${listed} and ${wanted}`, only });
}

/** The numbers of the decisions that make up the state of item `d`. Behind `offset 0`, `active` is computed once. */
function latestDecisions(sql: Reader): Fragment {
  const active = isActive(sql, sql`o.number`);
  return sql`
    select max(number) as last_number,
      max(number) filter (where active and kind::text in ${sql([...standingKinds])}) as standing,
      max(number) filter (where active and kind = 'assign') as assigned,
      max(number) filter (where active and note is not null) as noted
    from (select o.number, o.kind, o.note, ${active} as active from decisions o where o.item = d.id offset 0) o`;
}

/**
 * Whether the decision of a number was not taken back. It is a value and not `not exists`, which may become a join with
 * everything that was ever taken back.
 *
 * @param number must not name a table as `u`, which is the decision that took it back
 */
export function isActive(sql: Reader, number: Fragment): Fragment {
  return sql`((select u.number from decisions u where u.kind = 'undo' and u.refers_to = ${number}) is null)`;
}
