-- Lists the records that still count, and that another file may have brought first now.
insert into
  moved_records (file_id, line)
select
  k.record_file_id,
  k.record_line
from
  already_known_rows k
  join affected_records a on a.file_id = k.record_file_id
  and a.line = k.record_line
except
select
  file_id,
  line
from
  changed_records;
