-- Lists the files whose withdrawal or restoration no run has acted on.
create temp table pending_files on
commit
drop as
select
  coalesce(now.file_id, before.file_id) as file_id,
  now.file_id is not null as withdrawn
from
  withdrawn_now now
  full join withdrawn_files before on before.file_id = now.file_id
where
  (
    now.file_id is null
    or before.file_id is null
  );
