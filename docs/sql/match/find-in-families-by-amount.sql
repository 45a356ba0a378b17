-- Finds the payments of the families whose type, amount and currency fit the record: then no others are left.
insert into
  family_hits
select distinct
  r.file_id,
  r.line,
  r.matched_by,
  p.payment_key,
  true,
  true,
  true
from
  (
    select
      m.file_id,
      m.line,
      m.matched_by,
      m.payment_key,
      r.reconciliation_type,
      r.payment_type,
      r.amount_minor,
      r.currency
    from
      misfits m
      join review_records r on r.file_id = m.file_id
      and r.line = m.line
    offset
      0
  ) r
  join family_amounts p on p.start_key = r.payment_key
  and p.amount_minor = r.amount_minor
  and p.currency = r.currency
where
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
  );
