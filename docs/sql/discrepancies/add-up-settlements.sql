-- Adds up the settlements of the payments under review: DUPLICATE_SETTLEMENT, AMOUNT_MISMATCH.
insert into
  found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
select
  case f.code
    when 'AMOUNT_MISMATCH' then left(encode(sha256(convert_to(f.code || ':' || r.payment_id, 'UTF8')), 'hex'), 32)
    else left(
      encode(sha256(convert_to(f.code || ':' || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'),
      32
    )
  end,
  f.code,
  f.severity,
  r.file_id,
  r.line,
  r.payment_key,
  round((f.expected)::numeric / 100, 2)::text,
  round((f.actual)::numeric / 100, 2)::text,
  f.actual - f.expected,
  f.message
from
  (
    select
      s.*,
      e.earlier,
      coalesce(e.earlier >= s.payment_amount, false) as duplicate,
      s.running >= s.payment_amount
      or s.is_last as last_counted
    from
      (
        select
          p.key as payment_key,
          p.id as payment_id,
          p.amount_minor as payment_amount,
          p.currency,
          r.file_id,
          r.line,
          r.fingerprint,
          r.occurrence,
          r.settlement_date,
          r.settlement_tx_id,
          r.amount_minor,
          r.is_removed,
          (sum(r.amount_minor) over in_order)::bigint as running,
          row_number() over in_order as place,
          lead(r.line) over in_order is null as is_last
        from
          (
            select
              r.*
            from
              summed_records r
            where
              r.reconciliation_type = 'SETTLED'
              and r.settlement_status = 'SUCCESS'
            offset
              0
          ) r
          join payments p on p.key = r.payment_key
        where
          coalesce(r.currency = p.currency, false)
          and coalesce(
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
          )
          and not exists (
            select
            from
              uncounted_records u
            where
              u.file_id = r.file_id
              and u.line = r.line
            offset
              0
          )
        window
          in_order as (
            partition by
              p.key
            order by
              r.settlement_date,
              coalesce(r.settlement_tx_id, ''),
              r.fingerprint,
              r.occurrence rows unbounded preceding
          )
      ) s
      cross join lateral (
        select
          case
            when s.place > 1 then s.running - s.amount_minor
          end as earlier
      ) e
  ) r
  cross join lateral (
    select
      'DUPLICATE_SETTLEMENT',
      $22::text,
      0::bigint,
      r.amount_minor,
      format(
        'Payment %s for %s %s was already settled in full by earlier records; this %s %s is too much.',
        r.payment_id,
        round((r.payment_amount)::numeric / 100, 2)::text,
        r.currency,
        round((r.amount_minor)::numeric / 100, 2)::text,
        r.currency
      )
    where
      r.duplicate
    union all
    select
      'AMOUNT_MISMATCH',
      $23::text,
      r.payment_amount,
      r.running,
      format(
        'Payment %s is for %s %s, but %s %s was settled for it%s: %s %s too %s.',
        r.payment_id,
        round((r.payment_amount)::numeric / 100, 2)::text,
        r.currency,
        round((r.running)::numeric / 100, 2)::text,
        r.currency,
        case
          when r.earlier is null then ''
          else ', this record being the last of several'
        end,
        round((abs(r.running - r.payment_amount))::numeric / 100, 2)::text,
        r.currency,
        case
          when r.running > r.payment_amount then 'much'
          else 'little'
        end
      )
    where
      r.last_counted
      and not r.duplicate
      and r.running <> r.payment_amount
  ) f (code, severity, expected, actual, message)
where
  not r.is_removed;
