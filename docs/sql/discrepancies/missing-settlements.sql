-- Finds MISSING_SETTLEMENT: unsettled payments that are not reversed in full.
insert into
  found (id, code, severity, payment_key, expected, actual, difference_minor, message)
select
  left(encode(sha256(convert_to('MISSING_SETTLEMENT' || ':' || p.id, 'UTF8')), 'hex'), 32),
  'MISSING_SETTLEMENT',
  $1,
  p.key,
  round((p.amount_minor)::numeric / 100, 2)::text,
  '0.00',
  - p.amount_minor,
  format(
    'Payment %s (%s) over %s %s of %s succeeded, but no settlement of it has arrived.',
    p.id,
    p.payment_type,
    round((p.amount_minor)::numeric / 100, 2)::text,
    p.currency,
    (p.requested_at at time zone $2)::date
  )
from
  (
    select
      key
    from
      unsettled_payments
    except
    select
      p.key as payment_key
    from
      payments p
      join payments rv on rv.referenced_payment_id = p.id
      and rv.payment_type = 'RV'
      and rv.outcome = 'SUCCESS'
      and rv.currency = p.currency
    where
      p.key in (
        select
          key
        from
          unsettled_payments
      )
    group by
      p.key,
      p.amount_minor
    having
      sum(rv.amount_minor) >= p.amount_minor
  ) missing
  join payments p on p.key = missing.key;
