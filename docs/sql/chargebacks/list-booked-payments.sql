-- Lists the payments on which the back office may have booked a chargeback by hand; if the core has any payments.
create temp table booked_payments on
commit
drop as
select distinct
  payment_key
from
  (
    select
      payment_key
    from
      unnest(string_to_array($1, ',')::bigint[]) as wanted (payment_key)
  ) k;
