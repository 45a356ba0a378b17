-- Finds the lines before which a window of results ends, because records before them have many candidates.
select
  min(line) as line
from
  (
    select
      line,
      div(
        sum(count) over (
          order by
            line
        ) - count,
        $1
      ) as number
    from
      (
        select
          line,
          count(*)
        from
          match_candidates
        where
          file_id = $2
        group by
          line
        union all
        select
          k.line,
          c.count
        from
          (
            select
              line,
              record_file_id,
              record_line
            from
              already_known_rows
            where
              file_id = $3
          ) k
          full join (
            select
              file_id,
              line,
              count(*)
            from
              match_candidates
            where
              file_id = any (
                array(
                  select distinct
                    record_file_id
                  from
                    already_known_rows
                  where
                    file_id = $4
                )
              )
            group by
              file_id,
              line
          ) c on c.file_id = k.record_file_id
          and c.line = k.record_line
        where
          coalesce(
            k.line is not null
            and c.line is not null,
            false
          )
      ) counted
  ) windows
where
  number > 0
group by
  number
order by
  1;
