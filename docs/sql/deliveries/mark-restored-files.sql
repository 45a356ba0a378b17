-- Marks the restorations as in effect.
delete from withdrawn_files
where
  file_id in (
    select
      file_id
    from
      pending_files
    where
      not withdrawn
  );
