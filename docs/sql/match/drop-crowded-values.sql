-- Drops what these values found.
delete from found_payments p
where
  (p.identifier, p.value) in (
    select
      identifier,
      value
    from
      crowded_values
  )
  or (p.file_id, p.line) in (
    select
      file_id,
      line
    from
      crowded_values
  );
