-- Lists the payments whose settlement is due, and those reported as missing before.
insert into
  due_payments
select
  p.key,
  p.outcome = 'PENDING' as is_pending,
  p.payment_type
from
  payments p
where
  (
    p.requested_at >= $1::timestamptz
    and p.requested_at < $2::timestamptz
  )
  and p.payment_type in ($3, $4, $5, $6)
  and p.outcome in ('SUCCESS', 'PENDING')
union all
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
      p.*
    from
      payments p
    where
      p.key = k.key
    offset
      0
  ) p
where
  not (
    p.requested_at >= $7::timestamptz
    and p.requested_at < $8::timestamptz
  )
  and p.requested_at < $9::timestamptz
  and p.payment_type in ($10, $11, $12, $13)
  and p.outcome in ('SUCCESS', 'PENDING');
