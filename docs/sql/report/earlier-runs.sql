-- Reads the figures of the runs before, for the charts of page.html.
select
  id as "runId",
  kind,
  as_of::text as "asOf",
  rows,
  (items ->> 'open')::int as open,
  (items ->> 'new')::int as new,
  (items ->> 'resolved')::int as resolved
from
  (
    select
      id,
      kind,
      as_of,
      outcome -> 'items' as items,
      (
        select
          coalesce(sum((file -> 'rows' ->> 'accepted')::int), 0)::int
        from
          jsonb_array_elements(outcome -> 'files') file
      ) as rows
    from
      runs
    where
      status = 'completed'
      and (
        $1::int = 0
        or id < $2
      )
      and outcome -> 'items' ->> 'open' is not null
    order by
      id desc
    limit
      $3
  ) r
order by
  id;
