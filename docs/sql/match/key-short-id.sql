-- Lists the payments of the same ShortId for each record.
insert into
  key_hits
select
  r.file_id,
  r.line,
  $1::matched_by,
  p.key,
  coalesce(
    p.payment_type = any (
      (
        case
          when r.reconciliation_type in ($2, $3)
          and true then string_to_array($4, ',')
          when r.reconciliation_type in ($5)
          and r.payment_type = $6 then string_to_array($7, ',')
          when r.reconciliation_type in ($8)
          and r.payment_type = $9 then string_to_array($10, ',')
          when r.reconciliation_type in ($11)
          and r.payment_type = $12 then string_to_array($13, ',')
          when true
          and r.payment_type = $14 then string_to_array($15, ',')
          when true
          and r.payment_type = $16 then string_to_array($17, ',')
          when true
          and r.payment_type = $18 then string_to_array($19, ',')
          when true
          and r.payment_type = $20 then string_to_array($21, ',')
          else string_to_array($22, ',')
        end
      )
    ),
    false
  ) as fits_type,
  p.outcome = 'SUCCESS' as succeeded,
  p.amount_minor = r.amount_minor
  and p.currency = r.currency as same_amount,
  (
    r.reconciliation_type = 'SETTLED'
    and r.settlement_status = 'SUCCESS'
    and r.currency = p.currency
    and r.amount_minor = p.amount_minor
    and coalesce(
      p.payment_type = any (
        (
          case
            when r.reconciliation_type in ($23, $24)
            and true then string_to_array($25, ',')
            when r.reconciliation_type in ($26)
            and r.payment_type = $27 then string_to_array($28, ',')
            when r.reconciliation_type in ($29)
            and r.payment_type = $30 then string_to_array($31, ',')
            when r.reconciliation_type in ($32)
            and r.payment_type = $33 then string_to_array($34, ',')
            when true
            and r.payment_type = $35 then string_to_array($36, ',')
            when true
            and r.payment_type = $37 then string_to_array($38, ',')
            when true
            and r.payment_type = $39 then string_to_array($40, ',')
            when true
            and r.payment_type = $41 then string_to_array($42, ',')
            else string_to_array($43, ',')
          end
        )
      ),
      false
    )
  ) as settles
from
  (
    select
      r.file_id,
      r.line,
      p.key,
      p.payment_type,
      p.outcome,
      p.amount_minor,
      p.currency
    from
      undecided_records r
      join found_payments p on p.value = r."short_id"
      and p.identifier = $44
    where
      not exists (
        select
        from
          decided_records d
        where
          d.file_id = r.file_id
          and d.line = r.line
      )
  ) p
  join undecided_records r on r.file_id = p.file_id
  and r.line = p.line;
