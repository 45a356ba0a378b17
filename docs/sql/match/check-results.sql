-- Compares the number of records with the number of results; before matching is committed.
select
  f.name,
  f.rows_accepted - f.rows_already_known as records,
  coalesce(m.results, 0)::integer as results
from
  settlement_files f
  left join (
    select
      file_id,
      count(*) as results
    from
      record_matches
    where
      file_id = any (string_to_array($1, ',')::integer[])
    group by
      file_id
  ) m on m.file_id = f.id
where
  f.id = any (string_to_array($2, ',')::integer[])
  and f.rows_accepted - f.rows_already_known <> coalesce(m.results, 0)
order by
  f.id
limit
  1;
