-- Orders the deliveries by these numbers.
create temp table deliveries on
commit
drop as
select
  d.*,
  p.place
from
  received_deliveries d
  join delivery_places p on p.number = d.number
  and p.by_file_id = d.by_file_id;
