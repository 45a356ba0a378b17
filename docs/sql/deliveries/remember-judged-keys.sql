-- Stores the keys of these records, so that later runs find them.
insert into
  delivery_keys (file_id, line, key)
select
  j.file_id,
  j.line,
  d.key
from
  new_judgements j
  join deliveries d on d.file_id = j.file_id
  and d.line = j.line
on conflict do nothing;
