-- Deletes what the former results of the redecided records were based on.
delete from applied_links a using redecided_records x,
new_matches n
where
  x.file_id = a.file_id
  and x.line = a.line
  and n.file_id = a.file_id
  and n.line = a.line
  and (
    n.status <> 'NOT_APPLICABLE'
    or not exists (
      select
      from
        chargeback_links l
      where
        l.file_id = n.file_id
        and l.line = n.line
      offset
        0
    )
  );
