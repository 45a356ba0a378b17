-- Drops the new payments that refer to a new one: no earlier record can depend on them.
delete from changed_payments c using (
  select
    key
  from
    changed_payments
  where
    only_family
  except
  select
    c.key
  from
    changed_payments c
    join changed_parents p on p.id = c.referenced_payment_id
  where
    p.key <= $1::bigint
) gone
where
  c.key = gone.key;
