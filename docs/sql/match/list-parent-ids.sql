-- Lists the payments to which they refer, without those that are new as well.
create temp table parent_ids on
commit
drop as
select
  referenced_payment_id as id
from
  changed_payments
where
  referenced_payment_id is not null
  and not only_family
union
(
  select
    referenced_payment_id
  from
    changed_payments
  where
    referenced_payment_id is not null
    and only_family
  except
  select
    id
  from
    (
      select
        p.id
      from
        payments p
      where
        p.key > $1::bigint
      offset
        0
    ) p
);
