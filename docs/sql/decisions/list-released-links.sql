-- Lists the chargeback ids of the redecided records that lost their payment, and of their reversals.
create temp table released_links on
commit
drop as
with
  moved as (
    select
      l.*
    from
      redecided_records x
      join new_matches n on n.file_id = x.file_id
      and n.line = x.line
      join chargeback_links l on l.file_id = x.file_id
      and l.line = x.line
    where
      n.status <> 'NOT_APPLICABLE'
      and (
        n.status <> 'MATCHED'
        or n.payment_key <> l.payment_key
      )
  )
select
  *
from
  moved
union
select
  reversal.*
from
  moved m
  join chargeback_links reversal on reversal.chargeback_id = m.chargeback_id
  and reversal.kind = 'CHARGEBACK REVERSAL'
where
  m.kind = 'CHARGEBACK'
  and m.active;
