-- Lists the values that more payments have than the limit; after each of these.
insert into
  crowded_values
select
  identifier,
  value,
  file_id,
  line
from
  found_payments
group by
  identifier,
  value,
  file_id,
  line
having
  sum(weight) > $1::integer;
