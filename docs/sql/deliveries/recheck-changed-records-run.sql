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
        cross join lateral (
          select
            l.chargeback_id
          from
            chargeback_links l
          where
            l.file_id = c.file_id
            and l.line = c.line
            and l.kind = 'CHARGEBACK'
          offset
            0
        ) l
        cross join lateral (
          select
            x.file_id,
            x.line
          from
            chargeback_links x
          where
            x.chargeback_id = l.chargeback_id
            and x.kind = 'CHARGEBACK REVERSAL'
            and x.active
          offset
            0
        ) reversal
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
