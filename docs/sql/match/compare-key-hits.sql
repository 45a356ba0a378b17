-- Tests whether the weaker keys found so many records that writing all results once more is faster than updating some.
select
  10 * kept.reltuples > all_of_them.reltuples as many
from
  pg_class kept
  cross join pg_class all_of_them
where
  kept.oid = 'pg_temp.kept_hits'::regclass
  and all_of_them.oid = 'pg_temp.new_matches'::regclass;
