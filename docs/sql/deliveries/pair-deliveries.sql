-- Pairs the deliveries of one place in this order with the former ones that count: equal amounts first.
create temp table pairs on
commit
drop as
with
  counting as (
    select
      f.*
    from
      deliveries f
    where
      f.counts
      and f.place < $1
      and f.number in (
        select
          number
        from
          deliveries
        where
          place = $2
      )
      and not exists (
        select
        from
          carriers c
        where
          c.file_id = f.file_id
          and c.line = f.line
          and c.by_file_id = (
            select
              min(l.by_file_id)
            from
              deliveries l
            where
              l.place = $3
              and l.number = f.number
          )
      )
  ),
  later as (
    select
      l.*,
      l.succeeded as later_succeeded,
      coalesce(x.excluded, '') as excluded
    from
      deliveries l
      left join lateral (
        select
          string_agg(
            (f.file_id || ':' || f.line),
            ','
            order by
              f.file_id,
              f.line
          ) as excluded
        from
          counting f
        where
          l.decision = 'supersede'
          and f.number = l.number
          and f.decision = 'keep-both'
          and not exists (
            select
            from
              decisions x
            where
              x.file_id = f.file_id
              and x.line = f.line
              and x.kind in ('supersede', 'keep-both')
              and x.number < l.decision_number
              and not exists (
                select
                from
                  decisions u
                where
                  u.kind = 'undo'
                  and u.refers_to = x.number
                  and u.number < l.decision_number
              )
          )
      ) x on true
    where
      l.place = $4
  ),
  kinds as (
    select
      r.number,
      r.later_succeeded,
      r.excluded,
      count(*) as wanted
    from
      later r
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
      join counting f on f.number = k.number
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
          r.excluded,
          r.amount_minor,
          r.currency
        order by
          r.place desc,
          r.settlement_date,
          r.fingerprint,
          r.occurrence
      ) as equal_rank,
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
  ranked as (
    select
      r.*,
      row_number() over (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded,
          r.amount_minor,
          r.currency
        order by
          r.settlement_date,
          r.fingerprint,
          r.occurrence
      ) as equal_rank
    from
      later r
  ),
  paired as (
    select
      l.*,
      f.file_id as partner_file_id,
      f.line as partner_line
    from
      ranked l
      left join former f using (number, later_succeeded, excluded, amount_minor, currency, equal_rank)
  ),
  free_later as (
    select
      r.*,
      row_number() over (
        partition by
          r.number,
          r.later_succeeded,
          r.excluded
        order by
          r.settlement_date,
          r.fingerprint,
          r.occurrence
      ) as rank
    from
      paired r
    where
      r.partner_file_id is null
  ),
  free_former as (
    select
      r.*,
      row_number() over (
        partition by
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
      former r
      left join ranked l using (number, later_succeeded, excluded, amount_minor, currency, equal_rank)
    where
      l.file_id is null
  ),
  found as (
    select
      file_id,
      line,
      partner_file_id as other_file_id,
      partner_line as other_line
    from
      paired
    where
      partner_file_id is not null
    union all
    select
      l.file_id,
      l.line,
      coalesce(own.file_id, last.file_id),
      coalesce(own.line, last.line)
    from
      free_later l
      join former last on last.number = l.number
      and last.later_succeeded = l.later_succeeded
      and last.excluded = l.excluded
      and last.is_last
      left join free_former own on own.number = l.number
      and own.later_succeeded = l.later_succeeded
      and own.excluded = l.excluded
      and own.rank = l.rank
  )
select
  p.*,
  r.settlement_date,
  r.fingerprint,
  r.occurrence,
  case
    when r.decision = 'supersede' then 'supersede'
    when r.decision = 'keep-both' then 'keep'
    when r.mode = 'replace' then 'supersede'
    when r.mode = 'add' then 'keep'
    else 'ask'
  end as outcome
from
  found p
  join later r on r.file_id = p.file_id
  and r.line = p.line;
