-- Stores the links and unlinks that the new results are based on.
insert into
  applied_links (file_id, line, kind, payment_key)
select
  d.file_id,
  d.line,
  d.kind,
  d.payment_key
from
  redecided_records x
  join manual_links d on d.file_id = x.file_id
  and d.line = x.line
  join new_matches n on n.file_id = x.file_id
  and n.line = x.line
where
  (
    n.status <> 'NOT_APPLICABLE'
    or not exists (
      select
      from
        chargeback_links l
      where
        l.file_id = n.file_id
        and l.line = n.line
      offset
        0
    )
  )
on conflict do nothing;
