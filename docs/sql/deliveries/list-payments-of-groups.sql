-- Lists the payments that these records name, each once.
create temp table "delivery_payments" on
commit
drop as
select distinct
  p.key as payment_key
from
  delivery_groups g
  join payments p on p.id = g.unique_id;
