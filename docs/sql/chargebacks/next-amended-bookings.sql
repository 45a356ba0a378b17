-- Reads the next bookings of the changed links with the values that they should have: amount 0 without an active link.
select
  l.booking_id as id,
  case l.kind
    when 'CHARGEBACK' then 'CB'
    else 'CR'
  end as "paymentType",
  case l.kind
    when 'CHARGEBACK' then p.id
    else l.chargeback_id
  end as "referencedPaymentId",
  case
    when l.active then r.amount_minor
    else 0
  end as "amountMinor",
  r.currency,
  r.reason_code as "reasonCode",
  r.settlement_date || 'T00:00:00Z' as "bookedAt"
from
  (
    select distinct
      on (l.booking_id) l.*
    from
      changed_links c
      join chargeback_links l on l.booking_id = c.booking_id
      join settlement_files f on f.id = l.file_id
    where
      c.booking_id > $1 collate "C"
    order by
      l.booking_id,
      l.active desc,
      f.status = 'retired',
      l.file_id,
      l.line
    limit
      $2
  ) l
  join settlement_records r on r.file_id = l.file_id
  and r.line = l.line
  join payments p on p.key = l.payment_key
order by
  l.booking_id;
