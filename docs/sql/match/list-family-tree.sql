-- Lists the ancestors and descendants of those payments by their references, at any depth, each once.
insert into
  family_tree
select
  t.payment_key,
  parent.key,
  own.payment_type
from
  (
    with recursive
      starts as (
        select distinct
          0::bigint as start_key,
          payment_key as key
        from
          misfits
      ),
      ancestors (start_key, payment_key) as (
        select
          start_key,
          key
        from
          starts
        union
        select
          a.start_key,
          parent.key
        from
          ancestors a
          cross join lateral (
            select
              p.referenced_payment_id
            from
              payments p
            where
              p.key = a.payment_key
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
      descendants (start_key, payment_key) as (
        select
          start_key,
          key
        from
          starts
        union
        select
          d.start_key,
          child.key
        from
          descendants d
          cross join lateral (
            select
              p.id
            from
              payments p
            where
              p.key = d.payment_key
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
      start_key,
      payment_key
    from
      ancestors
    union
    select
      start_key,
      payment_key
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
      p.key = t.payment_key
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
