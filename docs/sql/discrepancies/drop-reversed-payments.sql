-- Drops those that are reversed in full.
delete from unsettled_payments u using (
  select
    p.key as payment_key
  from
    payments p
    join payments rv on rv.referenced_payment_id = p.id
    and rv.payment_type = 'RV'
    and rv.outcome = 'SUCCESS'
    and rv.currency = p.currency
  where
    p.key in (
      select
        key
      from
        unsettled_payments
    )
  group by
    p.key,
    p.amount_minor
  having
    sum(rv.amount_minor) >= p.amount_minor
) r
where
  r.payment_key = u.key;
