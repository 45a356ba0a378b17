-- Lists those that a file brought which is not withdrawn.
create temp table brought_again on
commit
drop as
select
  k.record_file_id as file_id,
  k.record_line as line
from
  already_known_rows k
  join affected_records a on a.file_id = k.record_file_id
  and a.line = k.record_line
where
  k.file_id not in (
    select
      file_id
    from
      withdrawn_now
  )
group by
  1,
  2;
