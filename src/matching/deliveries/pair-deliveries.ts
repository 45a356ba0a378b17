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
 */
export async function pairPlace(tx: Tx, place: number): Promise<void> {
  const order = deliveryOrder(tx);
  const ofKind = kind(tx);
  await tx`create temp table pairs on commit drop as
    with ${formers(tx, place)}, ranked as (
      select r.*, row_number() over (partition by ${ofKind}, r.amount_minor, r.currency order by ${order}) as equal_rank
      from later r
    ), paired as (
      select l.*, f.file_id as partner_file_id, f.line as partner_line from ranked l
      left join former f using (number, later_succeeded, excluded, amount_minor, currency, equal_rank)
    ), free_later as (
      select r.*, row_number() over (partition by ${ofKind} order by ${order}) as rank
      from paired r where r.partner_file_id is null
    ), free_former as (
      select r.*, row_number() over (partition by ${ofKind} order by r.place desc, ${order}) as rank
      from former r
      left join ranked l using (number, later_succeeded, excluded, amount_minor, currency, equal_rank)
      where l.file_id is null
    ), found as (
      select file_id, line, partner_file_id as other_file_id, partner_line as other_line from paired
      where partner_file_id is not null
      union all
      select l.file_id, l.line, coalesce(own.file_id, last.file_id), coalesce(own.line, last.line)
      from free_later l
      join former last on last.number = l.number and last.later_succeeded = l.later_succeeded
        and last.excluded = l.excluded and last.is_last
      left join free_former own on own.number = l.number and own.later_succeeded = l.later_succeeded
        and own.excluded = l.excluded and own.rank = l.rank
    )
    select p.*, r.settlement_date, r.fingerprint, r.occurrence,
      case when r.decision = 'supersede' then 'supersede' when r.decision = 'keep-both' then 'keep'
        when r.mode = 'replace' then 'supersede' when r.mode = 'add' then 'keep' else 'ask' end as outcome
    from found p join later r on r.file_id = p.file_id and r.line = p.line`;
}

/** What is compared together: the columns over `r`. */
const kind = (tx: Tx): Fragment => tx`r.number, r.later_succeeded, r.excluded`;

/** The steps 1 to 3: `later`, the deliveries of the place, and `former`, the records that they may be paired with. */
function formers(tx: Tx, place: number): Fragment {
  const order = deliveryOrder(tx);
  const ofKind = kind(tx);
  return tx`counting as (
      select f.* from deliveries f
      where f.counts and f.place < ${place}
        and f.number in (select number from deliveries where place = ${place})
        and not exists (select from carriers c where c.file_id = f.file_id and c.line = f.line
          and c.by_file_id = (select min(l.by_file_id) from deliveries l
            where l.place = ${place} and l.number = f.number))
    ), later as (
      select l.*, l.succeeded as later_succeeded, coalesce(x.excluded, '') as excluded
      from deliveries l
      left join lateral (
        select string_agg(${addressOf(tx)}, ',' order by f.file_id, f.line) as excluded from counting f
        where l.decision = 'supersede' and f.number = l.number and f.decision = 'keep-both'
          and not ${wasDecided(tx)}) x on true
      where l.place = ${place}
    ), kinds as (
      select r.number, r.later_succeeded, r.excluded, count(*) as wanted from later r group by ${ofKind}
    ), eligible as (
      select f.*, k.later_succeeded, k.excluded, k.wanted,
        f.place = max(f.place) over of_kind as is_newest
      from kinds k join counting f on f.number = k.number
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
      select r.*, row_number() over (partition by ${ofKind}, r.amount_minor, r.currency order by r.place desc, ${order})
          as equal_rank,
        row_number() over (partition by ${ofKind} order by r.place, r.settlement_date desc, r.fingerprint desc,
          r.occurrence desc) = 1 as is_last
      from alike r where r.newer < r.wanted
    )`;
}

/** Names record `f`. */
function addressOf(tx: Tx): Fragment {
  return tx`(f.file_id || ':' || f.line)`;
}

/** Whether somebody had decided about record `f` when the decision about `l` was made. */
function wasDecided(tx: Tx): Fragment {
  return tx`exists (select from decisions x
            where x.file_id = f.file_id and x.line = f.line and x.kind in ('supersede', 'keep-both')
              and x.number < l.decision_number
              and not exists (select from decisions u
                where u.kind = 'undo' and u.refers_to = x.number and u.number < l.decision_number))`;
}
