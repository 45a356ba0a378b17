-- Compares the number of records with the number of results; before matching is committed.
select
  (
    select
      name
    from
      settlement_files
    where
      id = file_id
  ) as name,
  records,
  results
from
  (
    select
      file_id,
      sum(records)::integer as records,
      sum(results)::integer as results
    from
      (
        select
          id as file_id,
          rows_accepted - rows_already_known as records,
          0 as results
        from
          settlement_files
        where
          id = any (string_to_array($1, ',')::integer[])
        union all
        select
          file_id,
          0,
          results
        from
          (
            select
              file_id,
              count(*) as results
            from
              record_matches
            where
              file_id = any (string_to_array($2, ',')::integer[])
            group by
              file_id
          ) m
      ) each_file
    group by
      file_id
  ) f
where
  records <> results
order by
  file_id
limit
  1;
