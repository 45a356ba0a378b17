-- Stores the keys of the records that no payment leads to.
insert into
  delivery_keys (file_id, line, key, awaited_id)
select
  k.file_id,
  k.line,
  k.key,
  k.awaited_id
from
  keyed_records k
where
  case
    when k.is_new then true
    else (
      select
        true
      from
        delivery_keys d
      where
        d.file_id = k.file_id
        and d.line = k.line
    ) is null
  end
order by
  k.key;
