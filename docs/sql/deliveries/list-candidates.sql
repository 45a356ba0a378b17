-- Lists all records with one of these keys or payments.
create temp table delivery_candidates on
commit
drop as
select
  d.file_id,
  d.line
from
  delivery_groups g
  join delivery_keys d on d.key = g.key
union
select
  m.file_id,
  m.line
from
  delivery_payments d
  join record_matches m on m.payment_key = d.payment_key
union
select
  n.file_id,
  n.line
from
  delivery_payments d
  join new_matches n on n.payment_key = d.payment_key;
