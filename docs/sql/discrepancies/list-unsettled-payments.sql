-- Keeps the due payments that no SETTLED record is matched to or lists.
insert into
  unsettled_payments
select
  key
from
  due_payments
except
select
  m.payment_key
from
  due_payments d
  join "record_matches" m on m.payment_key = d.key
  join settlement_records r on r.file_id = m.file_id
  and r.line = m.line
where
  r.reconciliation_type = 'SETTLED'
except
select
  m.payment_key
from
  due_payments d
  join "match_candidates" m on m.payment_key = d.key
  join settlement_records r on r.file_id = m.file_id
  and r.line = m.line
where
  r.reconciliation_type = 'SETTLED';
