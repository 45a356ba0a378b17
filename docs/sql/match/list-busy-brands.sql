-- Lists which brands of these payments fit each brand of these records.
create temp table busy_brands on
commit
drop as
select
  r.number,
  r.brand,
  p.payment_brand
from
  (
    select distinct
      number,
      brand
    from
      busy_records
  ) r
  join (
    select distinct
      number,
      payment_brand
    from
      busy_payments
  ) p on p.number = r.number
where
  (
    p.payment_brand = r.brand
    or coalesce(p.payment_brand, '') = ''
    or coalesce(r.brand, '') = ''
  );
