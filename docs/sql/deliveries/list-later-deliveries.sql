-- Lists the deliveries of one place, each with the former ones that a decision keeps beside it.
create temp table later_deliveries on
commit
drop as
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
      counting_deliveries f
    where
      l.decision = 'supersede'
      and f.number = l.number
      and f.decision = 'keep-both'
      and not coalesce(
        (
          select
            true
          from
            decisions x
          where
            x.file_id = f.file_id
            and x.line = f.line
            and x.kind in ('supersede', 'keep-both')
            and x.number < l.decision_number
            and (
              select
                u.number
              from
                decisions u
              where
                u.kind = 'undo'
                and u.refers_to = x.number
                and u.number < l.decision_number
            ) is null
          limit
            1
        ),
        false
      )
  ) x on true
where
  l.place = $1;
