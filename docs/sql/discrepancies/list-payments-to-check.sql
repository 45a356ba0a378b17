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
  p.requested_at >= (($1::date - $2::int + 1)::timestamp at time zone $3)
  and (
    p.requested_at >= (($4::date - $5::int)::timestamp at time zone $6)
    and p.requested_at < ((($7::date - $8::int) + 1)::timestamp at time zone $9)
  )
  and p.payment_type in ($10, $11, $12, $13)
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
      p.key > $14::bigint
    offset
      0
  ) p
where
  (
    p.requested_at >= (($15::date - $16::int)::timestamp at time zone $17)
    and p.requested_at < ((($18::date - $19::int) + 1)::timestamp at time zone $20)
  )
  and p.payment_type in ($21, $22, $23, $24)
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
          id > $25::bigint
        union
        select
          old_value
        from
          payment_changes
        where
          id > $26::bigint
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
          id > $27::bigint
        union
        select
          old_value
        from
          payment_changes
        where
          id > $28::bigint
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
    p.requested_at >= (($29::date - $30::int)::timestamp at time zone $31)
    and p.requested_at < ((($32::date - $33::int) + 1)::timestamp at time zone $34)
  )
  and p.payment_type in ($35, $36, $37, $38)
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
  p.requested_at < (($39::date - $40::int + 1)::timestamp at time zone $41)
  and p.payment_type in ($42, $43, $44, $45)
  and p.outcome in ('SUCCESS', 'PENDING');
