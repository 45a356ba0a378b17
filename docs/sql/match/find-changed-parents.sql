-- Looks these up.
create temp table "changed_parents" on
commit
drop as
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
from
  parent_ids c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.id = c.id
    offset
      0
  ) p;
