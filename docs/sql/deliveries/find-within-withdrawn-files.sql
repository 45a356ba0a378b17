-- Finds two records of one withdrawn file that are deliveries of each other, because other files bring them.
insert into
  delivery_suspects
select
  key,
  null
from
  (
    select
      k.key,
      k.file_id
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
    intersect
    select
      d.key,
      d.file_id
    from
      (
        select distinct
          key
        from
          (
            select
              k.key,
              k.file_id
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
          ) c
      ) k
      join delivery_keys d on d.key = k.key
    group by
      d.key,
      d.file_id
    having
      count(*) > 1
  ) shared;
