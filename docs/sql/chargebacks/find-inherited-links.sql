-- Finds the chargeback ids that pass from a superseded record to the one that supersedes it.
create temp table inherited_links on
commit
drop as
with recursive
  former as (
    select
      n.file_id,
      n.line,
      n.payment_key,
      u.file_id as former_file_id,
      u.line as former_line,
      1 as steps
    from
      new_matches n
      join review_records r on r.file_id = n.file_id
      and r.line = n.line
      join uncounted_records u on u.other_file_id = n.file_id
      and u.other_line = n.line
      and u.reason = 'SUPERSEDED'
    where
      n.needs_review
      and n.status = 'MATCHED'
      and not n.pinned
      and n.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
      and (
        n.reconciliation_type = 'CHARGEBACK'
        or r.settlement_status = 'SUCCESS'
      )
      and not exists (
        select
        from
          chargeback_links l
        where
          l.file_id = n.file_id
          and l.line = n.line
      )
      and not exists (
        select
        from
          uncounted_records w
        where
          w.file_id = n.file_id
          and w.line = n.line
      )
    union all
    select
      f.file_id,
      f.line,
      f.payment_key,
      u.file_id,
      u.line,
      f.steps + 1
    from
      former f
      join uncounted_records u on u.other_file_id = f.former_file_id
      and u.other_line = f.former_line
      and u.reason = 'SUPERSEDED'
    where
      not exists (
        select
        from
          chargeback_links l
        where
          l.file_id = f.former_file_id
          and l.line = f.former_line
      )
  )
select distinct
  on (f.file_id, f.line) f.file_id,
  f.line,
  l.kind,
  l.chargeback_id,
  l.booking_id,
  f.payment_key
from
  former f
  join chargeback_links l on l.file_id = f.former_file_id
  and l.line = f.former_line
where
  l.kind = 'CHARGEBACK'
  or l.payment_key = f.payment_key
  and not exists (
    select
    from
      chargeback_links moved
    where
      moved.chargeback_id = l.chargeback_id
      and moved.kind = 'CHARGEBACK'
      and moved.active
      and moved.payment_key <> l.payment_key
  )
order by
  f.file_id,
  f.line,
  f.steps;
