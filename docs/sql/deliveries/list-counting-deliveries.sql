-- Lists the former deliveries that count, without those that the file of this place brings again.
create temp table counting_deliveries on
commit
drop as
select
  f.*
from
  deliveries f
where
  f.counts
  and f.place < $1
  and f.number in (
    select
      number
    from
      deliveries
    where
      place = $2
  )
  and not exists (
    select
    from
      carriers c
    where
      c.file_id = f.file_id
      and c.line = f.line
      and c.by_file_id = (
        select
          min(l.by_file_id)
        from
          deliveries l
        where
          l.place = $3
          and l.number = f.number
      )
  );
