-- Deletes what records were left with that are decided without asking for room now.
delete from room_candidates
where
  ctid = any (
    array(
      select
        c.ctid
      from
        (
          select
            c.file_id,
            c.line,
            c.payment_key
          from
            room_candidates c
            join new_matches n on n.file_id = c.file_id
            and n.line = c.line
            and not n.is_new
          except
          select
            file_id,
            line,
            payment_key
          from
            contested
        ) gone
        cross join lateral (
          select
            c.ctid
          from
            room_candidates c
          where
            c.file_id = gone.file_id
            and c.line = gone.line
            and c.payment_key = gone.payment_key
          offset
            0
        ) c
    )
  );
