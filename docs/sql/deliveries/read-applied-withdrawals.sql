-- Reads what took effect, for the summary.
select
  case
    when p.withdrawn then 'withdrawn'
    else 'restored'
  end as status,
  f.source,
  f.name,
  f.sha256,
  (
    select
      count(*)::integer
    from
      changed_records c
    where
      c.file_id = p.file_id
  ) as records,
  l.author as by,
  l.reason
from
  pending_files p
  join settlement_files f on f.id = p.file_id
  cross join lateral (
    select
      w.author,
      w.reason
    from
      file_withdrawals w
    where
      w.file_id = p.file_id
    order by
      w.number desc
    limit
      1
  ) l
order by
  p.file_id;
