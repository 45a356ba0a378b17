-- Adds up the accepted rows in scope, for the summary and to check the reconciled files.
select
  r.file_id,
  false as known,
  u.file_id is null as counted,
  sum(r.line)::float8 as lines,
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
  settlement_records r
  left join uncounted_records u on u.file_id = r.file_id
  and u.line = r.line
where
  r.file_id = any (string_to_array($1, ',')::integer[])
  and r.settlement_date between $2 and $3
group by
  r.file_id,
  counted,
  r.merchant_account_id,
  r.settlement_currency,
  r.reconciliation_type,
  r.cashflow,
  r.currency,
  r.settlement_status,
  r.settlement_date,
  r.payment_type,
  fee_place;
