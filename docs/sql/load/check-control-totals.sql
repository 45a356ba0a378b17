-- Adds up what a file has stored, to compare it with what was read; before a load is committed.
select
  currency,
  count(*) as count,
  sum(amount_minor)::text as sum
from
  settlement_records
where
  file_id = $1
group by
  currency;
