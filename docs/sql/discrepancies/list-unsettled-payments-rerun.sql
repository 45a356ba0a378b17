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
(
  select
    d.key
  from
    results_of_due d
    cross join lateral (
      select
        r.reconciliation_type,
        r.payment_type,
        r.settlement_status
      from
        settlement_records r
      where
        r.file_id = any (string_to_array($1, ',')::integer[])
        and r.file_id = d.file_id
        and r.line = d.line
      limit
        1
    ) r
  where
    d.file_id = any (string_to_array($2, ',')::integer[])
    and r.reconciliation_type = 'SETTLED'
    and case
      when d.is_matched then coalesce(
        d.payment_type = any (
          (
            case
              when r.reconciliation_type in ($3, $4)
              and true then string_to_array($5, ',')
              when r.reconciliation_type in ($6)
              and r.payment_type = $7 then string_to_array($8, ',')
              when r.reconciliation_type in ($9)
              and r.payment_type = $10 then string_to_array($11, ',')
              when r.reconciliation_type in ($12)
              and r.payment_type = $13 then string_to_array($14, ',')
              when true
              and r.payment_type = $15 then string_to_array($16, ',')
              when true
              and r.payment_type = $17 then string_to_array($18, ',')
              when true
              and r.payment_type = $19 then string_to_array($20, ',')
              when true
              and r.payment_type = $21 then string_to_array($22, ',')
              else string_to_array($23, ',')
            end
          )
        ),
        false
      )
      else r.settlement_status = 'SUCCESS'
    end
);
