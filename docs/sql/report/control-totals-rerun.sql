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
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency,
      count(*)::int as count,
      sum(r.settlement_amount_minor)::text as settlement_amount,
      sum(r.amount_minor)::text as amount
    from
      settlement_records r
    where
      r.file_id = any (string_to_array($1, ',')::integer[])
      and r.settlement_date between $2 and $3
    group by
      r.file_id,
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency
    union all
    select
      k.file_id,
      true,
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency,
      count(*)::int as count,
      sum(r.settlement_amount_minor)::text as settlement_amount,
      sum(r.amount_minor)::text as amount
    from
      already_known_rows k
      join settlement_records r on r.file_id = k.record_file_id
      and r.line = k.record_line
    where
      k.file_id = any (string_to_array($4, ',')::integer[])
      and r.settlement_date between $5 and $6
    group by
      k.file_id,
      r.merchant_account_id,
      r.settlement_currency,
      r.reconciliation_type,
      r.cashflow,
      r.currency
  ) t
  join settlement_files f on f.id = t.file_id
order by
  f.source collate "C",
  f.name collate "C",
  t.file_id,
  t.merchant_account_id collate "C",
  t.settlement_currency collate "C",
  t.reconciliation_type collate "C";
