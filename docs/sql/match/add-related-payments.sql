-- Adds the payments that are not listed yet.
insert into
  related_payments
select distinct
  "n"."key",
  "n"."id",
  "n"."referenced_payment_id",
  "n"."short_id",
  "n"."connector_tx_id1",
  "n"."connector_tx_id2",
  "n"."connector_tx_id3",
  false,
  $1::integer
from
  next_related n
on conflict do nothing;
