-- Stores the findings that are new, opened again or changed; unchanged ones are not written.
insert into
  discrepancies (
    id,
    code,
    severity,
    file_id,
    line,
    payment_key,
    expected,
    actual,
    difference_minor,
    message,
    first_seen_run
  )
select
  f.id,
  f.code,
  f.severity,
  f.file_id,
  f.line,
  f.payment_key,
  f.expected,
  f.actual,
  f.difference_minor,
  f.message,
  $1
from
  found f
  left join discrepancies o on o.id = f.id
where
  o.id is null
  or o.resolved_run is not null
  or (o.severity, o.file_id, o.line, o.payment_key, o.expected, o.actual, o.difference_minor, o.message) is distinct from (f.severity, f.file_id, f.line, f.payment_key, f.expected, f.actual, f.difference_minor, f.message)
on conflict (id) do update
set
  severity = excluded.severity,
  file_id = excluded.file_id,
  line = excluded.line,
  payment_key = excluded.payment_key,
  expected = excluded.expected,
  actual = excluded.actual,
  difference_minor = excluded.difference_minor,
  message = excluded.message,
  resolved_run = null,
  accepted_at_risk_minor = null,
  accepted_currency = null;
