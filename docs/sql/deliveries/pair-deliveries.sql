-- Pairs the deliveries of one place in this order with the former ones that count.
create temp table pairs on
commit
drop as
with
  later as (
    select
      l.*,
      row_number() over (
        partition by
          l.number,
          l.succeeded
        order by
          l.by_line
      ) as rank
    from
      deliveries l
    where
      l.place = $1
  ),
  counting as (
    select
      f.*,
      max(f.place) over (
        partition by
          f.number
      ) as newest
    from
      deliveries f
    where
      f.counts
      and f.place < $2
      and f.number in (
        select
          number
        from
          later
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
              later l
            where
              l.number = f.number
          )
      )
  ),
  former as (
    select
      f.*,
      row_number() over (
        partition by
          f.number,
          f.succeeded
        order by
          f.by_line
      ) as rank,
      count(*) over (
        partition by
          f.number,
          f.succeeded
      ) as number_of_kind,
      bool_or(not f.succeeded) over (
        partition by
          f.number
      ) as any_failed
    from
      counting f
    where
      f.place = f.newest
  )
select
  l.file_id,
  l.line,
  l.by_line,
  f.file_id as other_file_id,
  f.line as other_line,
  case
    when l.decision = 'supersede' then 'supersede'
    when l.decision = 'keep-both' then 'keep'
    when l.mode = 'replace' then 'supersede'
    when l.mode = 'add' then 'keep'
    else 'ask'
  end as outcome
from
  later l
  join former f on f.number = l.number
  and f.succeeded = (
    l.succeeded
    or not f.any_failed
  )
  and f.rank = least(l.rank, f.number_of_kind);
