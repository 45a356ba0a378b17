-- Lists the failed records of the payments under review, whichever file they came in.
insert into
  failed_records
select
  m.file_id,
  m.line,
  m.payment_key
from
  summed_payments s
  join record_matches m on m.payment_key = s.payment_key
  join settlement_records r on r.file_id = m.file_id
  and r.line = m.line
where
  r.settlement_status = 'FAILED';
