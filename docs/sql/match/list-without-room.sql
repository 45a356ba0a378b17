-- Lists the payments without room of the records that have one with room.
create temp table without_room on
commit
drop as
select
  c.file_id,
  c.line,
  c.payment_key
from
  contested c
where
  not c.has_room
  and (c.file_id, c.line) in (
    select
      file_id,
      line
    from
      contested
    where
      has_room
  );
