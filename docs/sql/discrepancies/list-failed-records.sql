-- Lists the failed records of the payments under review, whichever file they came in.
insert into
  failed_records
select
  r.file_id,
  r.line,
  r.payment_key
from
  summed_records r
where
  r.settlement_status = 'FAILED';
