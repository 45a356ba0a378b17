-- Checks SETTLEMENT_FAILED of records outside the scope, whose payment has a record in scope.
insert into
  found (id, code, severity, file_id, line, payment_key, expected, actual, message)
select
  left(encode(sha256(convert_to($1 || ':' || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'), 32),
  $2,
  $3,
  r.file_id,
  r.line,
  o.payment_key,
  'SUCCESS',
  r.settlement_status,
  format(
    'The clearing institute reports that this settlement of %s failed: the money did not move.',
    round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency
  )
from
  (
    select
      file_id,
      line,
      payment_key
    from
      failed_records
    except
    select
      f.file_id,
      f.line,
      f.payment_key
    from
      failed_records f
      join review_records n on n.file_id = f.file_id
      and n.line = f.line
  ) o
  join settlement_records r on r.file_id = o.file_id
  and r.line = o.line
  left join repeated_failures e on e.file_id = r.file_id
  and e.line = r.line
where
  coalesce(
    true
    and (
      r.settlement_status = 'FAILED'
      and e.line is null
    ),
    false
  );
