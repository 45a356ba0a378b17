-- Lists the keys of records that several files delivered; usually none, and the next steps are left out.
create temp table delivery_groups on
commit
drop as
select
  row_number() over ()::integer as number,
  key,
  max(unique_id) as unique_id
from
  delivery_suspects
where
  key is not null
group by
  key;
