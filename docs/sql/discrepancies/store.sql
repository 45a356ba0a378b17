-- Stores the findings that are new.
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
where
  f.id in (
    select
      id
    from
      found
    except
    select
      o.id
    from
      found n
      join discrepancies o on o.id = n.id
  );
