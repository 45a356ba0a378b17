-- Lists the records that name such payments, with the same number for those that name the same ones.
create temp table misfit_records on
commit
drop as
select
  m.file_id,
  m.line,
  m.matched_by,
  r.amount_minor,
  r.currency,
  m.named,
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
  ) as types,
  dense_rank() over (
    order by
      m.named,
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
  ) as set_id
from
  (
    select
      file_id,
      line,
      matched_by,
      array_agg(
        payment_key
        order by
          payment_key
      ) as named
    from
      misfits
    where
      payment_key in (
        select
          start_key
        from
          families
      )
    group by
      1,
      2,
      3
  ) m
  join review_records r on r.file_id = m.file_id
  and r.line = m.line;
