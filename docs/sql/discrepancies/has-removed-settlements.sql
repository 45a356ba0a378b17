-- Looks whether there are settlements of removed months: then they are added up too.
select
  exists (
    select
    from
      removed_settlements
  ) as removed;
