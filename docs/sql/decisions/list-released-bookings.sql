-- Reads the bookings of the released ids that no record has any more; they get the amount 0.
select
  l.booking_id as id,
  b.payment_type as "paymentType",
  b.referenced_payment_id as "referencedPaymentId",
  0::bigint as "amountMinor",
  b.currency,
  b.result_code as "reasonCode",
  to_char(b.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "bookedAt"
from
  (
    select distinct
      booking_id
    from
      released_links
  ) l
  join payments b on b.id = l.booking_id
where
  b.amount_minor <> 0
  and not exists (
    select
    from
      chargeback_links other
    where
      other.booking_id = l.booking_id
      and other.active
  )
order by
  l.booking_id;
