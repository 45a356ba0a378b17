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
    and p.requested_at < ((least($4::date - $5::int, ($6::date - $7::int)) + 1)::timestamp at time zone $8)
  )
  and p.payment_type in ($9, $10, $11, $12)
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
    p.requested_at >= (($13::date - $14::int)::timestamp at time zone $15)
    and p.requested_at < ((least($16::date - $17::int, ($18::date - $19::int)) + 1)::timestamp at time zone $20)
  )
  and p.requested_at < (($21::date - $22::int + 1)::timestamp at time zone $23)
  and p.payment_type in ($24, $25, $26, $27)
  and p.outcome in ('SUCCESS', 'PENDING');
