-- Lists the chargebacks and reversals that the payment core books.
create temp table new_bookings on
commit
drop as
select
  l.position,
  l.booking_id as id,
  case l.kind
    when 'CHARGEBACK' then 'CB'
    else 'CR'
  end as payment_type,
  case l.kind
    when 'CHARGEBACK' then p.id
    else l.chargeback_id
  end as referenced,
  r.amount_minor,
  r.currency,
  r.reason_code,
  r.settlement_date || 'T00:00:00Z' as booked_at
from
  new_links l
  join settlement_records r on r.file_id = l.file_id
  and r.line = l.line
  join payments p on p.key = l.payment_key;
