-- Lists the files, not withdrawn, that brought each delivery.
create temp table carriers on
commit
drop as
select
  m.file_id,
  m.line,
  b.by_file_id,
  min(b.by_line) as by_line
from
  delivery_members m
  join (
    select
      file_id,
      line,
      file_id as by_file_id,
      line as by_line
    from
      delivery_members
    union all
    select
      o.file_id,
      o.line,
      k.file_id,
      k.line
    from
      delivery_members o
      cross join lateral (
        select
          k.file_id,
          k.line
        from
          already_known_rows k
        where
          k.record_file_id = o.file_id
          and k.record_line = o.line
        offset
          0
      ) k
  ) b on b.file_id = m.file_id
  and b.line = m.line
where
  not m.withdrawn
  and b.by_file_id not in (
    select
      file_id
    from
      withdrawn_files
  )
group by
  1,
  2,
  3;
