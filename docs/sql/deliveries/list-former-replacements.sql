-- Adds the records that no longer supersede another: they lose its chargeback id.
insert into
  changed_records (file_id, line, counts)
select
  d.file_id,
  d.line,
  d.counts
from
  new_judgements j
  join deliveries d on d.file_id = j.former_other_file_id
  and d.line = j.former_other_line
on conflict do nothing;
