-- Deletes what records were left with that are decided without asking for room now.
delete from room_candidates c using (
  select
    c.file_id,
    c.line,
    c.payment_key
  from
    room_candidates c
    join new_matches n on n.file_id = c.file_id
    and n.line = c.line
  except
  select
    file_id,
    line,
    payment_key
  from
    contested
) gone
where
  c.file_id = gone.file_id
  and c.line = gone.line
  and c.payment_key = gone.payment_key;
