-- Finds the parents and children of the payments that were listed last; repeated until there are no more.
create temp table "next_related" on
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
  last_related l
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.id = l.referenced_payment_id
    offset
      0
  ) p
union all
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
from
  last_related l
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.referenced_payment_id = l.id
    offset
      0
  ) p;
