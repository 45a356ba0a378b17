-- Adds up the rows that came in earlier files, for the summary and to check the reconciled files.
select
  r.by_file_id as file_id,
  true as known,
  r.counted,
  sum(r.by_line)::float8 as lines,
  r.merchant_account_id,
  r.settlement_currency,
  r.reconciliation_type,
  r.cashflow,
  r.currency,
  r.settlement_status,
  r.settlement_date,
  r.payment_type,
  (
    case
      when coalesce(r.settlement_fee_minor, 0) = 0
      or r.reconciliation_type = 'FEE' then 0
      when r.settlement_fx_rate_hundredths = 100
      and r.amount_minor = r.settlement_amount_minor then 0
      when r.settlement_fx_rate_hundredths <= 9000000 then (
        case
          when abs(
            (r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint)
          ) <= abs(
            (r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint) - (
              100 * r.settlement_fee_minor::bigint * case r.cashflow
                when 'POS' then 1
                else -1
              end
            )
          )
          and (
            r.currency <> r.settlement_currency
            or abs(
              (r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint)
            ) <= abs(
              (r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint) + (
                100 * r.settlement_fee_minor::bigint * case r.cashflow
                  when 'POS' then 1
                  else -1
                end
              )
            )
          ) then 0
          when abs(
            (r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint) - (
              100 * r.settlement_fee_minor::bigint * case r.cashflow
                when 'POS' then 1
                else -1
              end
            )
          ) <= abs(
            (r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint) + (
              100 * r.settlement_fee_minor::bigint * case r.cashflow
                when 'POS' then 1
                else -1
              end
            )
          ) then 1
          else -1
        end
      )
      else (
        case
          when abs(
            (
              r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
            )
          ) <= abs(
            (
              r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
            ) - (
              100 * r.settlement_fee_minor::numeric * case r.cashflow
                when 'POS' then 1
                else -1
              end
            )
          )
          and (
            r.currency <> r.settlement_currency
            or abs(
              (
                r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
              )
            ) <= abs(
              (
                r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
              ) + (
                100 * r.settlement_fee_minor::numeric * case r.cashflow
                  when 'POS' then 1
                  else -1
                end
              )
            )
          ) then 0
          when abs(
            (
              r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
            ) - (
              100 * r.settlement_fee_minor::numeric * case r.cashflow
                when 'POS' then 1
                else -1
              end
            )
          ) <= abs(
            (
              r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
            ) + (
              100 * r.settlement_fee_minor::numeric * case r.cashflow
                when 'POS' then 1
                else -1
              end
            )
          ) then 1
          else -1
        end
      )
    end
  ) as fee_place,
  count(*)::int as count,
  sum(r.settlement_amount_minor)::text as settlement_amount,
  sum(r.amount_minor)::text as amount,
  coalesce(sum(r.settlement_fee_minor), 0)::text as settlement_fee
from
  (
    with
      repeated as materialized (
        select
          k.file_id as by_file_id,
          k.line as by_line,
          k.record_file_id as file_id,
          k.record_line as line,
          (
            first_row.file_id is not null
            and not exists (
              select
              from
                uncounted_records u
              where
                u.file_id = k.record_file_id
                and u.line = k.record_line
            )
          ) as counted
        from
          (
            select
              *
            from
              already_known_rows
            where
              file_id = any (string_to_array($1, ',')::integer[])
          ) k
          full join (
            select distinct
              on (e.record_file_id, e.record_line) e.file_id,
              e.line
            from
              already_known_rows e
            where
              (
                select
                  true
                from
                  withdrawn_files
                limit
                  1
              )
              and e.record_file_id in (
                select
                  file_id
                from
                  withdrawn_files
              )
              and e.file_id not in (
                select
                  file_id
                from
                  withdrawn_files
              )
            order by
              e.record_file_id,
              e.record_line,
              e.file_id,
              e.line
          ) first_row on first_row.file_id = k.file_id
          and first_row.line = k.line
        where
          coalesce(k.file_id is not null, false)
        offset
          0
      )
    select
      k.by_file_id,
      k.by_line,
      k.counted,
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency,
      r.settlement_status,
      r.settlement_date,
      r.payment_type,
      r.amount_minor,
      r.settlement_amount_minor,
      r.settlement_fee_minor,
      r.settlement_fx_rate_hundredths
    from
      (
        select
          *
        from
          repeated
        where
          file_id = any (string_to_array($2, ',')::integer[])
      ) k
      full join (
        select
          r.*
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($3, ',')::integer[])
          and true
      ) r on r.file_id = k.file_id
      and r.line = k.line
    where
      coalesce(
        k.line is not null
        and r.line is not null,
        false
      )
    union all
    select
      k.by_file_id,
      k.by_line,
      k.counted,
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency,
      r.settlement_status,
      r.settlement_date,
      r.payment_type,
      r.amount_minor,
      r.settlement_amount_minor,
      r.settlement_fee_minor,
      r.settlement_fx_rate_hundredths
    from
      (
        select
          *
        from
          repeated
        where
          file_id <> all (string_to_array($4, ',')::integer[])
      ) k
      join lateral (
        select
          *
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($5, ',')::integer[])
          and r.file_id = k.file_id
          and r.line = k.line
        offset
          0
      ) r on true
    where
      true
  ) r
group by
  r.by_file_id,
  r.counted,
  r.merchant_account_id,
  r.settlement_currency,
  r.reconciliation_type,
  r.cashflow,
  r.currency,
  r.settlement_status,
  r.settlement_date,
  r.payment_type,
  fee_place;
