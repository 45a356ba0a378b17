-- Pairs the deliveries of one place in this order with the former ones that count: equal amounts first.
create temp table pairs on
commit
drop as
with
  kinds as (
    select
      r.number,
      r.later_succeeded,
      r.excluded,
      count(*) as wanted
    from
      later_deliveries r
    group by
      r.number,
      r.later_succeeded,
      r.excluded
  ),
  eligible as (
    select
      f.*,
      k.later_succeeded,
      k.excluded,
      k.wanted,
      f.place = max(f.place) over of_kind as is_newest
    from
      kinds k
      join counting_deliveries f on f.number = k.number
      and (
        k.excluded = ''
        or (f.file_id || ':' || f.line) <> all (string_to_array(k.excluded, ','))
      )
    window
      of_kind as (
        partition by
          k.number,
          k.later_succeeded,
          k.excluded
      )
  ),
  known as (
    select
      r.*,
      bool_or(
        r.succeeded
        and r.is_newest
      ) over of_kind as any_succeeded,
      bool_or(
        not r.succeeded
        and r.is_newest
      ) over of_kind as any_failed
    from
      eligible r
    window
      of_kind as (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded
      )
  ),
  alike as (
    select
      r.*,
      count(*) over (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded
        order by
          r.place desc
      ) - count(*) over (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded,
          r.place
      ) as newer
    from
      known r
    where
      case
        when r.later_succeeded then r.succeeded
        and r.any_succeeded
        else r.succeeded = not r.any_failed
      end
  ),
  former as (
    select
      r.*,
      row_number() over (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded
        order by
          r.place,
          r.settlement_date desc,
          r.fingerprint desc,
          r.occurrence desc
      ) = 1 as is_last
    from
      alike r
    where
      r.newer < r.wanted
  ),
  both_sides as (
    select
      true as is_later,
      0 as place,
      number,
      later_succeeded,
      excluded,
      amount_minor,
      currency,
      file_id,
      line,
      settlement_date,
      fingerprint,
      occurrence,
      decision,
      mode,
      false as is_last
    from
      later_deliveries
    union all
    select
      false,
      place,
      number,
      later_succeeded,
      excluded,
      amount_minor,
      currency,
      file_id,
      line,
      settlement_date,
      fingerprint,
      occurrence,
      null,
      null,
      is_last
    from
      former
  ),
  ranked as (
    select
      r.*,
      row_number() over (
        partition by
          r.is_later,
          r.number,
          r.later_succeeded,
          r.excluded,
          r.amount_minor,
          r.currency
        order by
          r.place desc,
          r.settlement_date,
          r.fingerprint,
          r.occurrence
      ) as equal_rank
    from
      both_sides r
  ),
  equal as (
    select
      r.*,
      count(*) over same = 2 as has_equal,
      max(r.file_id) filter (
        where
          not r.is_later
      ) over same as "equal_file_id",
      max(r.line) filter (
        where
          not r.is_later
      ) over same as "equal_line"
    from
      ranked r
    window
      same as (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded,
          r.amount_minor,
          r.currency,
          r.equal_rank
      )
  ),
  left_over as (
    select
      r.*,
      row_number() over (
        partition by
          r.is_later,
          r.has_equal,
          r.number,
          r.later_succeeded,
          r.excluded
        order by
          r.place desc,
          r.settlement_date,
          r.fingerprint,
          r.occurrence
      ) as rank
    from
      equal r
  ),
  compared as (
    select
      r.*,
      max(r.file_id) filter (
        where
          not r.is_later
      ) over same as "own_file_id",
      max(r.line) filter (
        where
          not r.is_later
      ) over same as "own_line",
      max(r.file_id) filter (
        where
          r.is_last
      ) over of_kind as "last_file_id",
      max(r.line) filter (
        where
          r.is_last
      ) over of_kind as "last_line"
    from
      left_over r
    window
      same as (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded,
          r.has_equal,
          r.rank
      ),
      of_kind as (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded
      )
  )
select
  r.file_id,
  r.line,
  r.settlement_date,
  r.fingerprint,
  r.occurrence,
  case
    when r.has_equal then r.equal_file_id
    else coalesce(r.own_file_id, r.last_file_id)
  end as other_file_id,
  case
    when r.has_equal then r.equal_line
    else coalesce(r.own_line, r.last_line)
  end as other_line,
  case
    when r.decision = 'supersede' then 'supersede'
    when r.decision = 'keep-both' then 'keep'
    when r.mode = 'replace' then 'supersede'
    when r.mode = 'add' then 'keep'
    else 'ask'
  end as outcome
from
  compared r
where
  r.is_later
  and r.last_file_id is not null;
