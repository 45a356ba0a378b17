-- Adds up what a large file has stored in its own table, to compare it with what was read.
select
  currency,
  count(*) as count,
  sum(amount_minor)::text as sum
from
  "settlement_records_N"
group by
  currency;
