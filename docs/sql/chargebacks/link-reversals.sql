-- Gives every linked reversal the id of its chargeback.
insert into
  new_links (file_id, line, kind, chargeback_id, booking_id, payment_key)
select
  l.file_id,
  l.line,
  'CHARGEBACK REVERSAL',
  l.chargeback_id,
  l.booking_id,
  l.payment_key
from
  unnest(
    string_to_array($1, ',')::integer[],
    string_to_array($2, ',')::integer[],
    string_to_array($3, ','),
    string_to_array($4, ','),
    string_to_array($5, ',')::bigint[]
  ) with ordinality l (file_id, line, chargeback_id, booking_id, payment_key, position)
order by
  l.position;
