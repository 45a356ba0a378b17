-- Lists the files of the records that need a review, and shows whether these are so few that they are looked up.
select
  file_id as id,
  count(*)::float8 as records,
  (
    select
      reltuples::float8
    from
      pg_class
    where
      oid = 'pg_temp.new_matches'::regclass
  ) as all
from
  new_matches
where
  needs_review
group by
  file_id;
