-- Lists the records that would be left with too many.
insert into
  crowded_families
select
  file_id,
  line
from
  family_choices
where
  found > $1::integer;
