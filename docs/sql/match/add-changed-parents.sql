-- Adds the payments to which changed ones refer.
insert into
  related_payments
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3",
  bool_or(c.may_reverse),
  0
from
  changed_payments c
  join changed_parents p on p.id = c.referenced_payment_id
group by
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
on conflict (key) do update
set
  every_record = related_payments.every_record
  or excluded.every_record;
