-- Finds those of them that may be delivered again: their payment has a record in this run.
insert into
  delivery_suspects
select
  l.key,
  l.awaited_id
from
  (
    select
      payment_key
    from
      late_payments
    intersect
    select
      payment_key
    from
      new_matches
  ) again
  join late_payments l on l.payment_key = again.payment_key;
