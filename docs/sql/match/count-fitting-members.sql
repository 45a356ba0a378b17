-- Counts them by success and amount.
create temp table fitting_counts on
commit
drop as
select
  set_id,
  succeeded,
  amount_minor,
  currency,
  count(*) as found
from
  fitting_members
group by
  grouping sets ((set_id, succeeded), (set_id, succeeded, amount_minor, currency));
