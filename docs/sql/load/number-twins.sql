-- Numbers identical rows of the file by line.
create temporary table numbered_records on
commit
drop as
select
  line,
  settlement_date,
  fingerprint,
  row_number() over (
    partition by
      fingerprint
    order by
      line
  )::integer as occurrence
from
  staged_records;
