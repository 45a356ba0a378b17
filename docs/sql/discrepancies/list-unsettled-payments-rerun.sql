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
  cross join lateral (
    select
      m.file_id,
      m.line,
      true as is_matched
    from
      record_matches m
    where
      m.payment_key = d.key
    union all
    select
      c.file_id,
      c.line,
      false
    from
      match_candidates c
    where
      c.payment_key = d.key
    offset
      0
  ) m
  cross join lateral (
    select
      r.reconciliation_type,
      r.payment_type,
      r.settlement_status
    from
      settlement_records r
    where
      r.file_id = m.file_id
      and r.line = m.line
    limit
      1
  ) r
where
  not d.is_pending
  and r.reconciliation_type = 'SETTLED'
  and case
    when m.is_matched then coalesce(
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
    else r.settlement_status = 'SUCCESS'
  end;
