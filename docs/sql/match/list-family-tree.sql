-- Lists the ancestors and descendants of those payments by their references, at any depth, each once.
insert into
  family_tree
with recursive
  starts as (
    select distinct
      payment_key as key
    from
      misfits
  ),
  ancestors (key) as (
    select
      key
    from
      starts
    union
    select
      parent.key
    from
      ancestors a
      cross join lateral (
        select
          p.referenced_payment_id
        from
          payments p
        where
          p.key = a.key
        offset
          0
      ) child
      cross join lateral (
        select
          p.key
        from
          payments p
        where
          p.id = child.referenced_payment_id
        offset
          0
      ) parent
  ),
  descendants (key) as (
    select
      key
    from
      starts
    union
    select
      child.key
    from
      descendants d
      cross join lateral (
        select
          p.id
        from
          payments p
        where
          p.key = d.key
        offset
          0
      ) parent
      cross join lateral (
        select
          p.key
        from
          payments p
        where
          p.referenced_payment_id = parent.id
        offset
          0
      ) child
  )
select
  t.key,
  parent.key,
  own.payment_type
from
  (
    select
      key
    from
      ancestors
    union
    select
      key
    from
      descendants
  ) t
  cross join lateral (
    select
      p.payment_type,
      p.referenced_payment_id
    from
      payments p
    where
      p.key = t.key
    offset
      0
  ) own
  left join lateral (
    select
      p.key
    from
      payments p
    where
      p.id = own.referenced_payment_id
    offset
      0
  ) parent on true;
