-- Finds the records that depend on these payments.
create temp table "related_records" on
commit
drop as
select
  m.file_id,
  m.line
from
  related_payments p
  cross join lateral (
    select
      m.*
    from
      record_matches m
    where
      m.payment_key = p.key
    offset
      0
  ) m
where
  p.every_record
  or m.matched_by in ('SHORT_ID', 'CONNECTOR_TX_ID')
  or m.matched_through is not null;
