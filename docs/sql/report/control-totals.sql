-- Adds up the accepted rows in scope, for the summary and to check the reconciled files.
select
  f.source,
  f.name as file,
  f.sha256,
  t.*
from
  (
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
              when r.currency <> r.settlement_currency
              or abs(
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
              when r.currency <> r.settlement_currency
              or abs(
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
      and true
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
      fee_place
    union all
    select
      k.file_id,
      true as known,
      (
        k.record_file_id in (
          select
            file_id
          from
            withdrawn_files
        )
        and not exists (
          select
          from
            uncounted_records u
          where
            u.file_id = k.record_file_id
            and u.line = k.record_line
        )
        and not exists (
          select
          from
            already_known_rows e
          where
            e.record_file_id = k.record_file_id
            and e.record_line = k.record_line
            and (e.file_id, e.line) < (k.file_id, k.line)
            and e.file_id not in (
              select
                file_id
              from
                withdrawn_files
            )
        )
      ) as counted,
      sum(k.line)::float8 as lines,
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
              when r.currency <> r.settlement_currency
              or abs(
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
              when r.currency <> r.settlement_currency
              or abs(
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
      already_known_rows k
      join settlement_records r on r.file_id = k.record_file_id
      and r.line = k.record_line
    where
      k.file_id = any (string_to_array($2, ',')::integer[])
      and true
    group by
      k.file_id,
      counted,
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency,
      r.settlement_status,
      r.settlement_date,
      r.payment_type,
      fee_place
  ) t
  join settlement_files f on f.id = t.file_id;
