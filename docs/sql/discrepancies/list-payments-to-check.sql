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
      and (
        p.key > $15::bigint
        or age (p.xmin) <= (
          select
            pg_current_xact_id()::text::bigint - $16::bigint
        )
      )
    offset
      0
  ) p
where
  (
    p.requested_at >= (($17::date - $18::int)::timestamp at time zone $19)
    and p.requested_at < ((($20::date - $21::int) + 1)::timestamp at time zone $22)
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
          id > $29::bigint
        union
        select
          old_value
        from
          payment_changes
        where
          id > $30::bigint
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
    p.requested_at >= (($31::date - $32::int)::timestamp at time zone $33)
    and p.requested_at < ((($34::date - $35::int) + 1)::timestamp at time zone $36)
  )
  and p.payment_type in ($37, $38, $39, $40)
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
  p.requested_at < (($41::date - $42::int + 1)::timestamp at time zone $43)
  and p.payment_type in ($44, $45, $46, $47)
  and p.outcome in ('SUCCESS', 'PENDING');
