import type { Fragment, Reader } from '../db/client.js';
import { paymentsWithIds, resultsOfPayments } from '../db/shards/rows-by-key.js';
import type { PreparedView } from './item-rows.js';

type Places = Pick<PreparedView, 'isOnShards'>;

/*
 * An accepted finding holds for as long as nobody corrects the payment or the record, so most of what is stored as open
 * after a year was accepted. Comparing each with its decision took 22 µs, three times in each run. Now a run notes in
 * the finding that it is accepted, with the money that the page adds up (`src/items/note-accepted.ts`), and every list
 * of what is not accepted reads the others only (index `discrepancies_unsettled`).
 *
 * A note is removed in the transaction that changes what it was made of: the finding, the payment or candidates of its
 * record (`src/matching/discrepancies/forget-accepted.ts`), or the record itself (`src/retention/old-months.ts`). A
 * person who decides does not hold the fence and cannot remove it, nor can an import of payments, so a note counts only
 * for findings about which neither did anything since (`doubtedFindings`). A finding without a note is compared in
 * full: whatever is missing costs time, and changes no result.
 */

/**
 * The findings that hold and may be anything but accepted, so that they have to be compared with their decisions: a
 * fragment in the place of `discrepancies`. All that are open, waiting or lapsed are among them.
 *
 * It is two parts and not one condition, for which each accepted finding was compared with each id in the list: 13 s
 * for 29,000 findings and 33,000 ids.
 */
export function unsettledFindings(sql: Reader, view: Places): Fragment {
  return sql`(
    select * from discrepancies where not is_settled
    union all
    select d.* from ${doubtedFindings(sql, view)} doubted join discrepancies d on d.id = doubted.id
    where d.is_settled and d.resolved_run is null)`;
}

/**
 * Whether the finding `d` is one of them and has a decision. The ids are listed first: otherwise every finding is
 * joined with its record and payment, and few have a decision.
 */
export function isUnsettledAndDecided(sql: Reader, view: Places): Fragment {
  return sql`d.id = any (array(${unsettledWithDecision(sql, view, sql`true`)}))`;
}

/**
 * The ids of the findings among them that have a decision `x` of a kind. If there are decisions, they are looked up. In
 * a join, PostgreSQL 15 compared each finding with each decision when it did not know how many there are.
 */
export function unsettledWithDecision(sql: Reader, view: Places, ofKind: Fragment): Fragment {
  return sql`
    select u.id from ${unsettledFindings(sql, view)} u
    where (select true from decisions x where ${ofKind} limit 1)
      and exists (select from decisions x where x.item = u.id and ${ofKind} offset 0)`;
}

/**
 * The accepted findings that are not among `unsettledFindings`, added up: a fragment that selects `first_seen_run`,
 * `severity`, `currency`, `count`, and `missing` and `surplus` as `AgedItems` has them. It reads an index from its
 * first to its last entry, and subtracts the few whose notes do not count.
 */
export function settledSums(sql: Reader, view: Places): Fragment {
  const accepted = sql`d.resolved_run is null and d.accepted_at_risk_minor is not null`;
  const columns = sql`d.first_seen_run, d.severity, d.accepted_currency as currency, d.accepted_at_risk_minor as minor`;
  return sql`
    select first_seen_run, severity, currency, sum(sign) as count, sum(sign * greatest(minor, 0)) as missing,
      sum(sign * greatest(- minor, 0)) as surplus
    from (
      select ${columns}, 1 as sign from discrepancies d where ${accepted}
      union all
      select ${columns}, -1 as sign from ${doubtedFindings(sql, view)} doubted join discrepancies d on d.id = doubted.id
      where ${accepted}
    ) d
    group by first_seen_run, severity, currency
    having sum(sign) > 0`;
}

/**
 * The findings whose note does not count: somebody decided about them after the last run compared them, or an import
 * with `--allow-changes` ever changed the amount, currency or type of their payment. The latter are few, and imports
 * commit in no order that would show which of them a run has seen. A fragment that selects `id`.
 *
 * They are an array first: the planner expects ten values, and looks up their findings. It expects thousands of the
 * decisions after the last run, where there is usually none, and would read all findings for them.
 *
 * Decisions are numbered and committed in one order, because each is made under a lock of the table (`lockDecisions`).
 */
function doubtedFindings(sql: Reader, { isOnShards }: Places): Fragment {
  const payments = paymentsWithOtherMoney(sql, isOnShards);
  return sql`(select distinct unnest(array(
    select item from decisions where number > coalesce((select last_decision from accept_checks), 0)
    union all
    select o.id from (${payments}) k
    join discrepancies o on o.payment_key = k.key and o.resolved_run is null and o.file_id is null
    union all
    select o.id from (${payments}) k
    join ${resultsOfPayments(sql, isOnShards, payments)} m on m.payment_key = k.key
    join discrepancies o on o.file_id = m.file_id and o.line = m.line)) as id)`;
}

function paymentsWithOtherMoney(sql: Reader, isOnShards: boolean): Fragment {
  const changes = sql`payment_changes where column_name in ('Amount', 'Currency', 'PaymentType')`;
  if (isOnShards)
    return sql`select p.key
      from ${paymentsWithIds(sql, isOnShards, sql`select payment_id collate "default" from ${changes}`)} p`;
  return sql`select p.key from payments p where p.id in (
    select payment_id from ${changes})`;
}
