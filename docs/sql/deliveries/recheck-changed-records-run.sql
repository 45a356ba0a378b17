-- Notes the records that changed, and the reversals of chargebacks among them, as checked again by this run.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  t.file_id,
  t.line
from
  (
    (
      select
        c.file_id,
        c.line
      from
        (
          select
            file_id,
            line
          from
            changed_records
          union
          select
            file_id,
            line
          from
            redecided_records
        ) c
      union
      select
        reversal.file_id,
        reversal.line
      from
        (
          select
            file_id,
            line
          from
            changed_records
          union
          select
            file_id,
            line
          from
            redecided_records
        ) c
        join chargeback_links l on l.file_id = c.file_id
        and l.line = c.line
        and l.kind = 'CHARGEBACK'
        join chargeback_links reversal on reversal.chargeback_id = l.chargeback_id
        and reversal.kind = 'CHARGEBACK REVERSAL'
        and reversal.active
    )
  ) t
where
  t.file_id not in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $2
      and f.status = 'loaded'
  )
on conflict do nothing;
