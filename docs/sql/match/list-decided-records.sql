-- Lists the records for which a key has found payments; after each weaker key.
insert into
  decided_records
select distinct
  file_id,
  line,
  $1::matched_by
from
  key_hits
where
  matched_by = $2::matched_by
order by
  file_id,
  line;
