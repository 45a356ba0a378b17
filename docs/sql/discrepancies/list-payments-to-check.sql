-- Lists the payments with which something happened since the former run looked, and those reported as missing before.
insert into
  due_payments
select
  p.key,
  p.outcome = 'PENDING' as is_pending,
  p.payment_type
from
  (
    select
      p.key
    from
      payments p
    where
      p.requested_at >= (($1::date - $2::int + 1)::timestamp at time zone $3)
      and (
        p.requested_at >= (($4::date - $5::int)::timestamp at time zone $6)
        and p.requested_at < ((($7::date - $8::int) + 1)::timestamp at time zone $9)
      )
    union
    select
      p.key
    from
      (
        select
          p.key,
          p.requested_at
        from
          payments p
        where
          p.key > $10::bigint
        offset
          0
      ) p
    where
      (
        p.requested_at >= (($11::date - $12::int)::timestamp at time zone $13)
        and p.requested_at < ((($14::date - $15::int) + 1)::timestamp at time zone $16)
      )
    union
    select
      p.key
    from
      (
        select
          p.key
        from
          (
            select distinct
              payment_id as id
            from
              payment_changes
            where
              id > $17::bigint
          ) c
          cross join lateral (
            select
              p.key
            from
              payments p
            where
              p.id = c.id
            offset
              0
          ) p
        union
        select
          p.key
        from
          (
            select distinct
              payment_id as id
            from
              payment_changes
            where
              id > $18::bigint
          ) c
          cross join lateral (
            select
              p.referenced_payment_id as id
            from
              payments p
            where
              p.id = c.id
            offset
              0
          ) child
          cross join lateral (
            select
              p.key
            from
              payments p
            where
              p.id = child.id
            offset
              0
          ) p
        union
        select
          payment_key
        from
          payments_to_check
        union
        select
          key
        from
          lost_payments
      ) k
      cross join lateral (
        select
          p.key,
          p.requested_at
        from
          payments p
        where
          p.key = k.key
        offset
          0
      ) p
    where
      (
        p.requested_at >= (($19::date - $20::int)::timestamp at time zone $21)
        and p.requested_at < ((($22::date - $23::int) + 1)::timestamp at time zone $24)
      )
    union
    select
      payment_key as key
    from
      discrepancies
    where
      code = 'MISSING_SETTLEMENT'
      and resolved_run is null
  ) k
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.key = k.key
    offset
      0
  ) p
where
  p.payment_type in ($25, $26, $27, $28)
  and p.outcome in ('SUCCESS', 'PENDING');
