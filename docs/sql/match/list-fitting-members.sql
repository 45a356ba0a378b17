-- Lists the members of their families whose type fits.
create temp table fitting_members on
commit
drop as
select
  s.set_id,
  s.payment_key,
  p.outcome = 'SUCCESS' as succeeded,
  p.amount_minor,
  p.currency
from
  (
    select distinct
      s.set_id,
      s.types,
      f.payment_key
    from
      (
        select distinct
          set_id,
          named,
          types
        from
          misfit_records
      ) s
      cross join unnest(s.named) named (key)
      cross join lateral (
        select
          f.payment_key
        from
          families f
        where
          f.start_key = named.key
        offset
          0
      ) f
  ) s
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.key = s.payment_key
    offset
      0
  ) p
where
  p.payment_type = any (s.types);
