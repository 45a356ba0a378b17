-- Lists the open discrepancies that this run checked again.
insert into
  looked_at_findings
select
  o.id
from
  (
    select
      d.*
    from
      discrepancies d
    where
      d.resolved_run is null
      and d.file_id = any (
        array(
          select
            f.id
          from
            settlement_files f
          where
            f.finished_run_id = $1
            and f.status = 'loaded'
        )
      )
    union all
    select
      d.*
    from
      run_rechecks c
      join discrepancies d on d.file_id = c.file_id
      and d.line = c.line
    where
      c.run_id = $2
      and c.file_id <> all (
        array(
          select
            f.id
          from
            settlement_files f
          where
            f.finished_run_id = $3
            and f.status = 'loaded'
        )
      )
      and d.resolved_run is null
  ) o
union
select
  o.id
from
  extra_records e
  join discrepancies o on o.file_id = e.file_id
  and o.line = e.line
where
  o.resolved_run is null
union
select
  o.id
from
  new_links l
  join discrepancies o on o.file_id = l.file_id
  and o.line = l.line
where
  o.resolved_run is null
  and o.code = 'REVERSAL_WITHOUT_CHARGEBACK'
union
select
  o.id
from
  review_payments s
  join discrepancies o on o.payment_key = s.payment_key
where
  o.resolved_run is null
  and o.code in ($4, $5, $6, $7, $8)
union
select
  o.id
from
  discrepancies o
where
  o.resolved_run is null
  and o.code = 'MISSING_SETTLEMENT';
