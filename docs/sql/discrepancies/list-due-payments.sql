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
    p.requested_at >= (($1::date - $2::int)::timestamp at time zone $3)
    and p.requested_at < ((($4::date - $5::int) + 1)::timestamp at time zone $6)
  )
  and p.payment_type in ($7, $8, $9, $10)
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
    p.requested_at >= (($11::date - $12::int)::timestamp at time zone $13)
    and p.requested_at < ((($14::date - $15::int) + 1)::timestamp at time zone $16)
  )
  and p.requested_at < (($17::date - $18::int + 1)::timestamp at time zone $19)
  and p.payment_type in ($20, $21, $22, $23)
  and p.outcome in ('SUCCESS', 'PENDING');
