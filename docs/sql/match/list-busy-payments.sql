-- Reads their payments once, and numbers them by time for each brand.
create temp table busy_payments on
commit
drop as
select
  r.number,
  coalesce(p.payment_brand, '') as payment_brand,
  p.requested_at,
  row_number() over (
    partition by
      r.number,
      coalesce(p.payment_brand, '')
    order by
      p.requested_at
  ) as place,
  p.key,
  p.payment_type,
  p.outcome,
  p.amount_minor,
  p.currency
from
  busy_attributes r
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.entity_id = r.merchant_account_id
      and p.account_number_last4 = r.account_number_last4
      and r.account_number_last4 <> ''
      and p.amount_minor = r.amount_minor
      and p.currency = r.currency
      and p.requested_at between r.first_time - make_interval(secs => $1::float8) and r.last_time + make_interval(secs => $2::float8)
      and p.payment_type in ($3, $4, $5, $6, $7, $8)
    offset
      0
  ) p;
