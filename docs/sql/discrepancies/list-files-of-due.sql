-- Lists the files of these records, those with most of them first.
select
  file_id as id
from
  results_of_due
group by
  file_id
order by
  count(*) desc,
  file_id;
