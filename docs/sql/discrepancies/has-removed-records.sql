-- Looks whether the records of any month were removed: then a payment that one of them was matched to is settled.
select
  exists (
    select
    from
      settlement_files
    where
      status = 'retired'
  ) as removed;
