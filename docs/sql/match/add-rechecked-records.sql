-- Adds the records that are judged again to those that need a review.
insert into
  review_records
select
  false,
  r.*
from
  room_rechecks x
  join settlement_records r on r.file_id = x.file_id
  and r.line = x.line;
