-- Reads where rows of a file begin, of which a re-run reports few days.
select
  array_to_string(lines, ',') as lines,
  array_to_string(offsets, ',') as offsets
from
  row_places
where
  file_id = $1
order by
  first_line;
