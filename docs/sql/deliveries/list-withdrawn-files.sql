-- Lists the files that are withdrawn now; only if a file was ever withdrawn.
create temp table withdrawn_now on
commit
drop as
select
  w.file_id
from
  (
    select distinct
      on (file_id) file_id,
      kind,
      author,
      decided_at,
      reason
    from
      file_withdrawals
    order by
      file_id,
      number desc
  ) w
  join settlement_files f on f.id = w.file_id
  and f.status <> 'rejected'
where
  w.kind = 'withdraw';
