-- Books chargebacks (CB) and reversals (CR) as payments, in the payment core.
insert into
  payments (
    id,
    payment_type,
    payment_brand,
    amount_minor,
    currency,
    result_code,
    entity_id,
    requested_at,
    referenced_payment_id
  )
select
  b.id,
  b.payment_type,
  p.payment_brand,
  b.amount_minor,
  b.currency,
  b.result_code,
  p.entity_id,
  b.booked_at,
  b.referenced
from
  unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::timestamptz[], $7::text[]) as b (id, payment_type, amount_minor, currency, result_code, booked_at, referenced)
  left join (
    -- Named here, so that each shard looks them up: a join would fetch all payments.
    select
      id,
      payment_brand,
      entity_id
    from
      payments
    where
      id = any ($8::text[])
  ) p on p.id = b.referenced collate "C"
order by
  b.id
on conflict do nothing
returning
  id;
