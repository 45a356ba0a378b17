-- Lists the records that a weaker key matched before, and another key now.
create temp table rematched_records on
commit
drop as
select
  file_id,
  line
from
  new_matches n
where
  not n.is_new
  and n.former_matched_by = any (string_to_array($1, ',')::matched_by[])
  and n.former_matched_by is distinct from n.matched_by;
