-- Lists the other files with records that a run matches again, if these records are so few that they are looked up.
select distinct
  c.file_id as id
from
  run_rechecks c
where
  c.run_id = $1
  and c.file_id <> all (string_to_array($2, ',')::integer[]);
