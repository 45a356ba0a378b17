-- Lists the payments under review that are reversed in full.
insert into
  reversed_payments
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
      payment_key
    from
      review_payments
  )
group by
  p.key,
  p.amount_minor
having
  sum(rv.amount_minor) >= p.amount_minor;
