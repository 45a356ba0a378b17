-- Closes the discrepancies that were checked again and not found again, and keeps their former values.
with
  resolved as (
    update discrepancies d
    set
      resolved_run = $1
    from
      (
        select
          id
        from
          looked_at_findings
        except
        select
          id
        from
          found
      ) gone
    where
      d.id = gone.id
    returning
      d.*
  )
insert into
  discrepancy_changes (severity, file_id, line, expected, actual, difference_minor, resolved_run, id, run_id)
select
  severity,
  file_id,
  line,
  expected,
  actual,
  difference_minor,
  null,
  id,
  $2
from
  resolved
on conflict do nothing;
