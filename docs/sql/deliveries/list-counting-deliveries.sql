-- Lists the former deliveries that count, without those that the file of this place brings again.
create temp table counting_deliveries on
commit
drop as
select
  f.*
from
  (
    select
      d.*,
      min(d.by_file_id) filter (
        where
          d.place = $1
      ) over (
        partition by
          d.number
      ) as brought_by
    from
      deliveries d
    where
      d.place <= $2
      and d.number in (
        select
          number
        from
          deliveries
        where
          place = $3
      )
  ) f
where
  f.counts
  and f.place < $4
  and not exists (
    select
    from
      carriers c
    where
      c.file_id = f.file_id
      and c.line = f.line
      and c.by_file_id = f.brought_by
  );
