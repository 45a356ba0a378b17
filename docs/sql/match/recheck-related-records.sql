-- Notes these records as checked again by this run.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  o.file_id,
  o.line
from
  (
    select
      file_id,
      line
    from
      related_records
    union
    select
      c.file_id,
      c.line
    from
      related_payments p
      join match_candidates c on c.payment_key = p.key
    union
    select
      c.file_id,
      c.line
    from
      related_payments p
      join room_candidates c on c.payment_key = p.key
    union
    select
      d.file_id,
      d.line
    from
      changed_payments p
      join delivery_keys d on d.awaited_id = p.id
    union
    select
      file_id,
      line
    from
      awaiting_records
  ) o
where
  o.file_id not in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $2
      and f.status = 'loaded'
  )
on conflict do nothing;
