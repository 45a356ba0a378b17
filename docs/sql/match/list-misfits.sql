-- Lists the records for which a key found payments of other types only, with these payments.
insert into
  misfits
select
  n.file_id,
  n.line,
  n.matched_by,
  n.payment_key
from
  new_matches n
  join review_records r on r.file_id = n.file_id
  and r.line = n.line
where
  n.needs_review
  and not n.pinned
  and n.matched_by = 'UNIQUE_ID'
  and not coalesce(
    coalesce(
      n.found_type,
      (
        select
          p.payment_type
        from
          payments p
        where
          p.key = n.payment_key
      )
    ) = any (
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
union all
select
  file_id,
  line,
  matched_by,
  payment_key
from
  (
    select
      h.*,
      bool_or(h.fits_type) over (
        partition by
          h.file_id,
          h.line
      ) as any_fits
    from
      key_hits h
  ) hits
where
  not any_fits;
