-- Lists the payments whose settlement is due, and those reported as missing before.
insert into
  due_payments
select
  p.key,
  p.outcome = 'PENDING' as is_pending
from
  payments p
where
  p.key in (
    select
      key
    from
      (
        select
          p.key
        from
          payments p
        where
          (
            p.requested_at >= (($1::date - $2::int)::timestamp at time zone $3)
            and p.requested_at < ((($4::date - $5::int) + 1)::timestamp at time zone $6)
          )
      ) due_now
    union
    select
      payment_key as key
    from
      discrepancies
    where
      code = 'MISSING_SETTLEMENT'
      and resolved_run is null
  )
  and p.payment_type in ($7, $8, $9, $10)
  and p.outcome in ('SUCCESS', 'PENDING');
