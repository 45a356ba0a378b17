-- Lists earlier records whose UniqueID found no payment and would find one now; usually none.
create temp table "late_payments" on
commit
drop as
select
  d.file_id,
  d.line,
  d.key,
  d.awaited_id,
  p.key as payment_key
from
  delivery_keys d
  cross join lateral (
    select
      p.key
    from
      payments p
    where
      p.id = d.awaited_id
    offset
      0
  ) p
where
  d.awaited_id is not null;
