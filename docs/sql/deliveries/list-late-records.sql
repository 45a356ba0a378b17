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
    cross join lateral (
      select
        l.chargeback_id
      from
        chargeback_links l
      where
        l.file_id = c.file_id
        and l.line = c.line
        and l.kind = 'CHARGEBACK'
      offset
        0
    ) l
    cross join lateral (
      select
        x.file_id,
        x.line
      from
        chargeback_links x
      where
        x.chargeback_id = l.chargeback_id
        and x.kind = 'CHARGEBACK REVERSAL'
        and x.active
      offset
        0
    ) reversal
)
except
select
  file_id,
  line
from
  new_matches;
