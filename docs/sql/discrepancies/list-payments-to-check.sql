-- Lists the payments with which something happened since the former run looked, and those reported as missing before.
insert into
  due_payments
select
  p.key,
  p.outcome = 'PENDING' as is_pending,
  p.payment_type
from
  payments p
where
  p.requested_at >= $1::timestamptz
  and (
    p.requested_at >= $2::timestamptz
    and p.requested_at < $3::timestamptz
  )
  and p.payment_type in ($4, $5, $6, $7)
  and p.outcome in ('SUCCESS', 'PENDING')
union
select
  p.key,
  p.outcome = 'PENDING' as is_pending,
  p.payment_type
from
  (
    select
      p.key,
      p.requested_at,
      p.outcome,
      p.payment_type
    from
      payments p
    where
      p.key > $8::bigint
      and (
        p.key > $9::bigint
        or age (p.xmin) <= (
          select
            pg_current_xact_id()::text::bigint - $10::bigint
        )
      )
    offset
      0
  ) p
where
  (
    p.requested_at >= $11::timestamptz
    and p.requested_at < $12::timestamptz
  )
  and p.payment_type in ($13, $14, $15, $16)
  and p.outcome in ('SUCCESS', 'PENDING')
union
select
  p.key,
  p.outcome = 'PENDING' as is_pending,
  p.payment_type
from
  (
    select
      p.key
    from
      (
        select
          payment_id as id
        from
          payment_changes
        where
          id > $17::bigint
        union
        select
          old_value
        from
          payment_changes
        where
          id > $18::bigint
          and column_name = 'ReferencedPaymentId'
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
        select
          payment_id as id
        from
          payment_changes
        where
          id > $19::bigint
        union
        select
          old_value
        from
          payment_changes
        where
          id > $20::bigint
          and column_name = 'ReferencedPaymentId'
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
      p.requested_at,
      p.outcome,
      p.payment_type
    from
      payments p
    where
      p.key = k.key
    offset
      0
  ) p
where
  (
    p.requested_at >= $21::timestamptz
    and p.requested_at < $22::timestamptz
  )
  and p.payment_type in ($23, $24, $25, $26)
  and p.outcome in ('SUCCESS', 'PENDING')
union
select
  p.key,
  p.outcome = 'PENDING' as is_pending,
  p.payment_type
from
  (
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
      p.key,
      p.requested_at,
      p.outcome,
      p.payment_type
    from
      payments p
    where
      p.key = k.key
    offset
      0
  ) p
where
  p.requested_at < $27::timestamptz
  and p.payment_type in ($28, $29, $30, $31)
  and p.outcome in ('SUCCESS', 'PENDING');
