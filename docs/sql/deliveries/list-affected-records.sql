-- Lists the records that these files brought, and those of withdrawn files that the new files repeat.
create temp table affected_records on
commit
drop as
select
  r.file_id,
  r.line
from
  settlement_records r
where
  r.file_id in (
    select
      file_id
    from
      pending_files
  )
union
select
  k.record_file_id,
  k.record_line
from
  already_known_rows k
where
  k.file_id in (
    select
      file_id
    from
      pending_files
  )
union
select
  k.record_file_id,
  k.record_line
from
  already_known_rows k
where
  k.file_id in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $1
      and f.status = 'loaded'
  )
  and k.record_file_id in (
    select
      file_id
    from
      withdrawn_now
  )
union
select
  k.record_file_id,
  k.record_line
from
  row_corrections c
  cross join lateral (
    select
      k.record_file_id,
      k.record_line
    from
      already_known_rows k
    where
      k.file_id = c.file_id
      and k.line = c.line
    offset
      0
  ) k
  cross join lateral (
    select
    from
      uncounted_records u
    where
      u.file_id = k.record_file_id
      and u.line = k.record_line
      and u.reason = 'WITHDRAWN'
    offset
      0
  ) u
where
  c.file_id not in (
    select
      file_id
    from
      withdrawn_now
  );
