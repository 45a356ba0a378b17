-- Finds the payments that share an identifier with a changed one.
create temp table "next_related" on
commit
drop as
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select
      "short_id" as shared,
      key
    from
      changed_payments
    where
      "short_id" is not null
      and not only_family
    order by
      1
    offset
      0
  ) c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p."short_id" = c.shared
    offset
      0
  ) p
where
  p.key <> c.key
union all
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select
      "connector_tx_id1" as shared,
      key
    from
      changed_payments
    where
      "connector_tx_id1" is not null
      and not only_family
    order by
      1
    offset
      0
  ) c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p."connector_tx_id1" = c.shared
    offset
      0
  ) p
where
  p.key <> c.key
union all
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select
      "connector_tx_id2" as shared,
      key
    from
      changed_payments
    where
      "connector_tx_id2" is not null
      and not only_family
    order by
      1
    offset
      0
  ) c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p."connector_tx_id2" = c.shared
    offset
      0
  ) p
where
  p.key <> c.key
union all
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select
      "connector_tx_id3" as shared,
      key
    from
      changed_payments
    where
      "connector_tx_id3" is not null
      and not only_family
    order by
      1
    offset
      0
  ) c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p."connector_tx_id3" = c.shared
    offset
      0
  ) p
where
  p.key <> c.key;
