-- Writes the results of the records to which one payment is left.
update new_matches n
set
  status = 'MATCHED',
  payment_key = d.payment_key
from
  (
    select
      file_id,
      line,
      min(payment_key) as payment_key
    from
      contested
    where
      has_room
    group by
      file_id,
      line
    having
      count(*) = 1
  ) d
where
  n.file_id = d.file_id
  and n.line = d.line
  and n.needs_review;
