-- Finds those of the other records whose type fits.
insert into
  family_hits
select distinct
  m.file_id,
  m.line,
  m.matched_by,
  p.key,
  coalesce(
    p.payment_type = any (
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
  ) as fits_type,
  p.outcome = 'SUCCESS' as succeeded,
  p.amount_minor = r.amount_minor
  and p.currency = r.currency as same_amount
from
  misfits m
  join families f on f.start_key = m.payment_key
  join review_records r on r.file_id = m.file_id
  and r.line = m.line
  join payments p on p.key = f.payment_key
where
  coalesce(
    p.payment_type = any (
      (
        case
          when r.reconciliation_type in ($22, $23)
          and true then string_to_array($24, ',')
          when r.reconciliation_type in ($25)
          and r.payment_type = $26 then string_to_array($27, ',')
          when r.reconciliation_type in ($28)
          and r.payment_type = $29 then string_to_array($30, ',')
          when r.reconciliation_type in ($31)
          and r.payment_type = $32 then string_to_array($33, ',')
          when true
          and r.payment_type = $34 then string_to_array($35, ',')
          when true
          and r.payment_type = $36 then string_to_array($37, ',')
          when true
          and r.payment_type = $38 then string_to_array($39, ',')
          when true
          and r.payment_type = $40 then string_to_array($41, ',')
          else string_to_array($42, ',')
        end
      )
    ),
    false
  )
  and not exists (
    select
    from
      family_hits h
    where
      h.file_id = m.file_id
      and h.line = m.line
  );
