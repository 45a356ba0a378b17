-- Lists the file of each place in this order.
create temp table delivery_places on
commit
drop as
select distinct
  number,
  by_file_id,
  place
from
  deliveries;
