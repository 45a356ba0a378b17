-- Closes the discrepancies that were checked again and not found again.
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
  d.id = gone.id;
