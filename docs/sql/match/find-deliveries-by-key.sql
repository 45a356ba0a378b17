-- Finds the other records that several files delivered with other cells.
insert into
  delivery_suspects
select
  k.key,
  null
from
  keyed_records k
where
  exists (
    select
    from
      delivery_keys d
    where
      d.key = k.key
      and d.file_id <> k.file_id
  );
