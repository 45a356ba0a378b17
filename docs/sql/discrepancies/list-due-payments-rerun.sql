-- Lists the payments whose settlement is due, and those reported as missing before.
insert into
  due_payments
select
  p.key,
  (
    p.requested_at >= (($1::date - $2::int)::timestamp at time zone $3)
    and p.requested_at < ((least($4::date - $5::int, ($6::date - $7::int)) + 1)::timestamp at time zone $8)
  )
  or exists (
    select
    from
      payment_changes c
    where
      c.payment_id = p.id
  )
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
            p.requested_at >= (($9::date - $10::int)::timestamp at time zone $11)
            and p.requested_at < ((least($12::date - $13::int, ($14::date - $15::int)) + 1)::timestamp at time zone $16)
          )
      ) due_now
    union
    select
      payment_key
    from
      discrepancies
    where
      code = 'MISSING_SETTLEMENT'
      and resolved_run is null
  )
  and p.payment_type in ('DB', 'CP', 'CD', 'RF')
  and p.outcome = 'SUCCESS';
