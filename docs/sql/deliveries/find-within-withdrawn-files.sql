-- Finds two records of one withdrawn file that are deliveries of each other, because other files bring them.
insert into
  delivery_suspects
select
  k.key,
  null
from
  (
    select
      file_id,
      line
    from
      changed_records
    union
    select
      file_id,
      line
    from
      moved_records
  ) c
  join keyed_records k on k.file_id = c.file_id
  and k.line = c.line
where
  exists (
    select
    from
      delivery_keys d
    where
      d.key = k.key
      and d.file_id = k.file_id
      and d.line <> k.line
  );
