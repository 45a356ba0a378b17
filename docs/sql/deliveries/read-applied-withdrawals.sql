-- Reads what took effect, for the summary.
with
  changed as (
    select
      coalesce(own.file_id, other.file_id) as file_id,
      count(*)::integer as records
    from
      changed_records c
      left join pending_files own on own.file_id = c.file_id
      left join lateral (
        select
          k.file_id
        from
          already_known_rows k
          join pending_files p on p.file_id = k.file_id
        where
          own.file_id is null
          and k.record_file_id = c.file_id
          and k.record_line = c.line
          and p.withdrawn <> c.counts
        order by
          k.file_id
        limit
          1
      ) other on true
    group by
      1
  )
select
  case
    when p.withdrawn then 'withdrawn'
    else 'restored'
  end as status,
  f.source,
  f.name,
  f.sha256,
  coalesce(c.records, 0) as records,
  l.author as by,
  l.reason
from
  pending_files p
  join settlement_files f on f.id = p.file_id
  left join changed c on c.file_id = p.file_id
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
