-- Shows whether fewer than one in five records need a review, so that looking them up takes less time.
select
  5 * count(*) < (
    select
      reltuples
    from
      pg_class
    where
      oid = 'pg_temp.new_matches'::regclass
  ) as few
from
  new_matches
where
  needs_review;
