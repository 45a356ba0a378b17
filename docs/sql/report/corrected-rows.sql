-- Reads the corrected rows of a file, which its reconciled file has in place of the rejected ones.
select
  line,
  cells
from
  row_corrections
where
  file_id = $1;
