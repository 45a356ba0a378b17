-- Begins the list of the payments whose records may depend on the changed ones.
insert into
  related_payments
select
  "c"."key",
  "c"."id",
  "c"."referenced_payment_id",
  "c"."short_id",
  "c"."connector_tx_id1",
  "c"."connector_tx_id2",
  "c"."connector_tx_id3",
  not c.is_new,
  0
from
  changed_payments c;
