-- Reads the payments that the booked ones refer to, whose owners get the notifications.
select
  p.id,
  d.environment,
  p.entity_id as "entityId",
  p.referenced_payment_id as "referencedId"
from
  payments p
  left join payment_details d on d.payment_key = p.key
where
  p.id = any ($1::text[]);
