-- Takes the payments that are reversed in full off the list of missing ones.
delete from missing_payments m using (
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
        missing_payments
    )
  group by
    p.key,
    p.amount_minor
  having
    sum(rv.amount_minor) >= p.amount_minor
) reversed
where
  m.key = reversed.payment_key;
