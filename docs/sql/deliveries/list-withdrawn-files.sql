-- Lists the files that are withdrawn now; only if a file was ever withdrawn.
create temp table withdrawn_now on
commit
drop as
select
  file_id
from
  (
    select distinct
      on (file_id) file_id,
      kind
    from
      file_withdrawals
    order by
      file_id,
      number desc
  ) latest
where
  kind = 'withdraw';
