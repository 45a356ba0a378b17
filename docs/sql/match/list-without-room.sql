-- Lists the payments without room of the records that have one with room.
create temp table without_room on
commit
drop as
select
  file_id,
  line,
  payment_key
from
  (
    select
      c.*,
      bool_or(c.has_room) over (
        partition by
          c.file_id,
          c.line
      ) as any_room
    from
      contested c
  ) judged
where
  any_room
  and not has_room;
