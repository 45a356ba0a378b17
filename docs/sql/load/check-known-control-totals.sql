-- Adds up the known rows of a file, for the same comparison; only if it has any.
select
  r.currency,
  count(*) as count,
  sum(r.amount_minor)::text as sum
from
  already_known_rows k
  join settlement_records r on r.file_id = k.record_file_id
  and r.line = k.record_line
where
  k.file_id = $1
group by
  r.currency;
