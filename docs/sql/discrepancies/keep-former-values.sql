-- Keeps the former values of the discrepancies that are found with others, for recon diff.
insert into
  discrepancy_changes (severity, file_id, line, expected, actual, difference_minor, resolved_run, id, run_id)
select
  o.severity,
  o.file_id,
  o.line,
  o.expected,
  o.actual,
  o.difference_minor,
  o.resolved_run,
  o.id,
  $1
from
  found f
  join discrepancies o on o.id = f.id
where
  o.resolved_run is not null
  or (o.severity, o.file_id, o.line, o.expected, o.actual, o.difference_minor) is distinct from (f.severity, f.file_id, f.line, f.expected, f.actual, f.difference_minor)
on conflict do nothing;
