-- Updates the findings that are opened again or changed; unchanged ones are not written.
update discrepancies o
set
  severity = f.severity,
  file_id = f.file_id,
  line = f.line,
  payment_key = f.payment_key,
  expected = f.expected,
  actual = f.actual,
  difference_minor = f.difference_minor,
  message = f.message,
  resolved_run = null
from
  found f
where
  o.id = f.id
  and (
    o.resolved_run is not null
    or (o.severity, o.file_id, o.line, o.payment_key, o.expected, o.actual, o.difference_minor, o.message) is distinct from (f.severity, f.file_id, f.line, f.payment_key, f.expected, f.actual, f.difference_minor, f.message)
  );
