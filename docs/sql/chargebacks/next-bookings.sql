-- Reads the next chargebacks and reversals that the payment core books.
select
  l.position,
  l.booking_id as id,
  case l.kind
    when 'CHARGEBACK' then 'CB'
    else 'CR'
  end as "paymentType",
  case l.kind
    when 'CHARGEBACK' then p.id
    else l.chargeback_id
  end as "referencedPaymentId",
  r.amount_minor as "amountMinor",
  r.currency,
  r.reason_code as "reasonCode",
  r.settlement_date || 'T00:00:00Z' as "bookedAt"
from
  new_links l
  join settlement_records r on r.file_id = l.file_id
  and r.line = l.line
  join payments p on p.key = l.payment_key
where
  l.position > $1
order by
  l.position
limit
  $2;
