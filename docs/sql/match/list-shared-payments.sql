-- Lists the payments to which several records in scope are matched.
create temp table shared_payments on
commit
drop as
select
  payment_key,
  min(file_id) as first_file_id,
  min(file_id) <> max(file_id) as mixed
from
  new_matches
where
  payment_key is not null
group by
  payment_key
having
  count(*) > 1;
