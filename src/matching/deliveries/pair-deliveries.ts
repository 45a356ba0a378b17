import type { Fragment, Tx } from '../fragment.js';
import { deliveryOrder } from './list-deliveries.js';

/**
 * Makes `pairs`: which earlier record each delivery of a place (of the order of receipt) is compared with, and what
 * follows from that (design 4.8). A file may bring several records of one key, so they are paired by what is in them,
 * never by their lines:
 *
 * 1. Earlier records that the file brings again unchanged are not corrected by it. Nor does a `supersede` replace a
 *    record that only a later `keep-both` made count: the person who decided compared with another one.
 * 2. A SUCCESS is compared with a SUCCESS; a FAILED with a FAILED if one of the newest file counts, else with a SUCCESS
 *    that came back. Without such a record of the newest file, it is a repeat and compared with nothing.
 * 3. Of these, the newest are taken, file by file, until there is one for each.
 * 4. First those of equal amount and currency are paired, then the others, the newest file first and in the order of
 *    design 4.6. What is left over is compared with the last of them in that order.
 *
 * Partners are found in windows over both sides and not by joins: the planner cannot know how many records a file
 * corrects, and joined 10,000 with each of 10,000.
 */
export async function pairPlace(tx: Tx, place: number): Promise<void> {
  await listCompared(tx, place);
  const order = deliveryOrder(tx);
  const ofKind = kind(tx);
  await tx`create temp table pairs on commit drop as
    with ${formers(tx)}, both_sides as (
      select true as is_later, 0 as place, number, later_succeeded, excluded, amount_minor, currency, file_id, line,
        settlement_date, fingerprint, occurrence, decision, mode, false as is_last
      from later_deliveries
      union all
      select false, place, number, later_succeeded, excluded, amount_minor, currency, file_id, line,
        settlement_date, fingerprint, occurrence, null, null, is_last
      from former
    ), ranked as (
      select r.*, row_number() over (partition by r.is_later, ${ofKind}, r.amount_minor, r.currency
        order by r.place desc, ${order}) as equal_rank
      from both_sides r
    ), equal as (
      select r.*, count(*) over same = 2 as has_equal, ${ofFormer(tx, tx`not r.is_later`, tx`same`, 'equal')}
      from ranked r
      window same as (partition by ${ofKind}, r.amount_minor, r.currency, r.equal_rank)
    ), left_over as (
      select r.*, row_number() over (partition by r.is_later, r.has_equal, ${ofKind}
        order by r.place desc, ${order}) as rank
      from equal r
    ), compared as (
      select r.*, ${ofFormer(tx, tx`not r.is_later`, tx`same`, 'own')}, ${ofFormer(tx, tx`r.is_last`, tx`of_kind`, 'last')}
      from left_over r
      window same as (partition by ${ofKind}, r.has_equal, r.rank), of_kind as (partition by ${ofKind})
    )
    select r.file_id, r.line, r.settlement_date, r.fingerprint, r.occurrence,
      case when r.has_equal then r.equal_file_id else coalesce(r.own_file_id, r.last_file_id) end as other_file_id,
      case when r.has_equal then r.equal_line else coalesce(r.own_line, r.last_line) end as other_line,
      case when r.decision = 'supersede' then 'supersede' when r.decision = 'keep-both' then 'keep'
        when r.mode = 'replace' then 'supersede' when r.mode = 'add' then 'keep' else 'ask' end as outcome
    from compared r
    where r.is_later and r.last_file_id is not null`;
  await tx`drop table counting_deliveries, later_deliveries`;
}

/** What is compared together: the columns over `r`. */
const kind = (tx: Tx): Fragment => tx`r.number, r.later_succeeded, r.excluded`;

/** File and line of the only former record of a window that fulfils a condition, as columns. */
function ofFormer(tx: Tx, condition: Fragment, window: Fragment, name: string): Fragment {
  return tx`max(r.file_id) filter (where ${condition}) over ${window} as ${tx(`${name}_file_id`)},
        max(r.line) filter (where ${condition}) over ${window} as ${tx(`${name}_line`)}`;
}

/**
 * Makes `counting_deliveries`, the earlier records that count, without those that the file brings again (step 1), and
 * `later_deliveries`, the deliveries of the place, with the earlier records that they do not replace.
 */
async function listCompared(tx: Tx, place: number): Promise<void> {
  // Which of them count is new to the planner, which expects one: a join would ask for the file of the place for each.
  await tx`create temp table counting_deliveries on commit drop as
    select f.* from (
      select d.*, min(d.by_file_id) filter (where d.place = ${place}) over (partition by d.number) as brought_by
      from deliveries d
      where d.place <= ${place} and d.number in (select number from deliveries where place = ${place})) f
    where f.counts and f.place < ${place}
      and not exists (select from carriers c where c.file_id = f.file_id and c.line = f.line
        and c.by_file_id = f.brought_by)`;
  await tx`create index on pg_temp.counting_deliveries (number)`;
  await tx`analyze counting_deliveries`;
  await tx`create temp table later_deliveries on commit drop as
    select l.*, l.succeeded as later_succeeded, coalesce(x.excluded, '') as excluded
    from deliveries l
    left join lateral (
      select string_agg(${addressOf(tx)}, ',' order by f.file_id, f.line) as excluded from counting_deliveries f
      where l.decision = 'supersede' and f.number = l.number and f.decision = 'keep-both'
        and not ${wasDecided(tx)}) x on true
    where l.place = ${place}`;
  await tx`analyze later_deliveries`;
}

/** Steps 2 and 3: makes `former`, the records with which the deliveries of the place may be paired. */
function formers(tx: Tx): Fragment {
  const ofKind = kind(tx);
  return tx`kinds as (
      select r.number, r.later_succeeded, r.excluded, count(*) as wanted from later_deliveries r group by ${ofKind}
    ), eligible as (
      select f.*, k.later_succeeded, k.excluded, k.wanted,
        f.place = max(f.place) over of_kind as is_newest
      from kinds k join counting_deliveries f on f.number = k.number
        and (k.excluded = '' or ${addressOf(tx)} <> all (string_to_array(k.excluded, ',')))
      window of_kind as (partition by k.number, k.later_succeeded, k.excluded)
    ), known as (
      select r.*, bool_or(r.succeeded and r.is_newest) over of_kind as any_succeeded,
        bool_or(not r.succeeded and r.is_newest) over of_kind as any_failed
      from eligible r window of_kind as (partition by ${ofKind})
    ), alike as (
      select r.*, count(*) over (partition by ${ofKind} order by r.place desc)
        - count(*) over (partition by ${ofKind}, r.place) as newer
      from known r
      where case when r.later_succeeded then r.succeeded and r.any_succeeded
        else r.succeeded = not r.any_failed end
    ), former as (
      select r.*, row_number() over (partition by ${ofKind} order by r.place, r.settlement_date desc,
        r.fingerprint desc, r.occurrence desc) = 1 as is_last
      from alike r where r.newer < r.wanted
    )`;
}

/** Names record `f`. */
function addressOf(tx: Tx): Fragment {
  return tx`(f.file_id || ':' || f.line)`;
}

/**
 * Whether somebody had decided about record `f` when the decision about `l` was made. Both look-ups are scalar
 * subqueries, because the planner would turn `exists` into a join of `f` with all decisions.
 */
function wasDecided(tx: Tx): Fragment {
  return tx`coalesce((select true from decisions x
        where x.file_id = f.file_id and x.line = f.line and x.kind in ('supersede', 'keep-both')
          and x.number < l.decision_number
          and (select u.number from decisions u
            where u.kind = 'undo' and u.refers_to = x.number and u.number < l.decision_number) is null
        limit 1), false)`;
}
