-- Adds the records that hold the chargeback id of a changed record: it returns if that one counts again.
insert into
  changed_records (file_id, line, counts)
select
  holder.file_id,
  holder.line,
  not exists (
    select
    from
      uncounted_records u
    where
      u.file_id = holder.file_id
      and u.line = holder.line
  )
from
  changed_records c
  join chargeback_links l on l.file_id = c.file_id
  and l.line = c.line
  join chargeback_links holder on holder.booking_id = l.booking_id
  and holder.active
on conflict do nothing;
