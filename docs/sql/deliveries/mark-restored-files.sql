-- Marks the restorations as in effect.
delete from withdrawn_files
where
  ctid = any (
    array(
      select
        w.ctid
      from
        pending_files p
        cross join lateral (
          select
            ctid
          from
            withdrawn_files w
          where
            w.file_id = p.file_id
          offset
            0
        ) w
      where
        not p.withdrawn
    )
  );
