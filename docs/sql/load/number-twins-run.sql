-- Numbers identical rows of the file by line.
create temporary table numbered_records on
commit
drop as
select
  line,
  settlement_date,
  fingerprint,
  (
    row_number() over (
      partition by
        fingerprint
      order by
        line
    ) + (
      select
        count(*)
      from
        settlement_records r
      where
        r.file_id = $1
        and r.fingerprint = staged_records.fingerprint
    ) + (
      select
        count(*)
      from
        already_known_rows k
        join settlement_records r on r.file_id = k.record_file_id
        and r.line = k.record_line
      where
        k.file_id = $2
        and r.fingerprint = staged_records.fingerprint
    )
  )::integer as occurrence
from
  staged_records;
