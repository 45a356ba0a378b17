-- Adds the records whose judgement changed to the changed ones.
insert into
  changed_records (file_id, line, counts)
select
  file_id,
  line,
  counts
from
  new_judgements
on conflict (file_id, line) do update
set
  counts = excluded.counts;
