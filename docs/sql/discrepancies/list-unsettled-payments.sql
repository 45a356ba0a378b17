-- Keeps the due payments that no settlement of a fitting type is matched to, and that no successful one lists.
insert into
  unsettled_payments
select
  key
from
  due_payments
where
  not is_pending
except
select
  d.key
from
  due_payments d
  join record_matches m on m.payment_key = d.key
  join settlement_records r on r.file_id = m.file_id
  and r.line = m.line
where
  not d.is_pending
  and r.reconciliation_type = 'SETTLED'
  and coalesce(
    d.payment_type = any (
      (
        case
          when r.reconciliation_type in ($1, $2)
          and true then string_to_array($3, ',')
          when r.reconciliation_type in ($4)
          and r.payment_type = $5 then string_to_array($6, ',')
          when r.reconciliation_type in ($7)
          and r.payment_type = $8 then string_to_array($9, ',')
          when r.reconciliation_type in ($10)
          and r.payment_type = $11 then string_to_array($12, ',')
          when true
          and r.payment_type = $13 then string_to_array($14, ',')
          when true
          and r.payment_type = $15 then string_to_array($16, ',')
          when true
          and r.payment_type = $17 then string_to_array($18, ',')
          when true
          and r.payment_type = $19 then string_to_array($20, ',')
          else string_to_array($21, ',')
        end
      )
    ),
    false
  )
except
select
  c.payment_key
from
  due_payments d
  join match_candidates c on c.payment_key = d.key
  join settlement_records r on r.file_id = c.file_id
  and r.line = c.line
where
  not d.is_pending
  and r.reconciliation_type = 'SETTLED'
  and r.settlement_status = 'SUCCESS';
