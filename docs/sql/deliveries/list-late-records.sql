-- Lists the changed records that are not in this matching yet.
create temp table late_records on
commit
drop as (
  select
    c.file_id,
    c.line
  from
    changed_records c
  union
  select
    reversal.file_id,
    reversal.line
  from
    changed_records c
    join chargeback_links l on l.file_id = c.file_id
    and l.line = c.line
    and l.kind = 'CHARGEBACK'
    join chargeback_links reversal on reversal.chargeback_id = l.chargeback_id
    and reversal.kind = 'CHARGEBACK REVERSAL'
    and reversal.active
)
except
select
  file_id,
  line
from
  new_matches;
