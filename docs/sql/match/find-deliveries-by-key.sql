-- Finds the other records that several files delivered with other cells.
insert into
  delivery_suspects
select
  d.key,
  null
from
  (
    select distinct
      key
    from
      keyed_records
  ) k
  join delivery_keys d on d.key = k.key
group by
  d.key
having
  min(d.file_id) <> max(d.file_id);
