-- Lists the payments on which the back office may have booked a chargeback by hand; if the core has any payments.
create temp table booked_payments on
commit
drop as
select distinct
  payment_key
from
  (
    select
      l.payment_key
    from
      review_payments s
      join chargeback_links l on l.payment_key = s.payment_key
      and l.kind = 'CHARGEBACK'
      and l.active
  ) k;
