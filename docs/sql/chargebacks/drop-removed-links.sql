-- Drops these from the changed links.
delete from changed_links c
where
  not exists (
    select
    from
      chargeback_links l
    where
      l.file_id = c.file_id
      and l.line = c.line
  );
