-- Numbers the files of each source that bring one of these records, in the order of receipt.
create temp table delivery_places on
commit
drop as
select
  number,
  by_file_id,
  dense_rank() over (
    partition by
      number
    order by
      by_file_id
  )::integer as place
from
  (
    select distinct
      d.number,
      c.by_file_id
    from
      received_deliveries d
      join carriers c on c.file_id = d.file_id
      and c.line = d.line
      join settlement_files f on f.id = c.by_file_id
      and f.source = d.source
  ) p;
