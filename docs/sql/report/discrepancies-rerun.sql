-- Reads discrepancies.csv in its order: finished lines, and as JSON the rows that have to be escaped.
select
  case
    when t.texts !~ $1
    and t.free !~ $2
    and octet_length(t.texts) <= $3 then concat_ws(
      $4,
      coalesce('"' || nullif(i."id", '') || '"', ''),
      coalesce('"' || nullif(i."code", '') || '"', ''),
      coalesce('"' || nullif(i."severity", '') || '"', ''),
      coalesce('"' || nullif(i."source", '') || '"', ''),
      coalesce('"' || nullif(i."file", '') || '"', ''),
      coalesce(i."line"::text, ''),
      coalesce('"' || nullif(i."reconciliation_type", '') || '"', ''),
      coalesce('"' || nullif(i."payment_type", '') || '"', ''),
      coalesce('"' || nullif(i."merchant_account_id", '') || '"', ''),
      coalesce('"' || nullif(i."settlement_tx_id", '') || '"', ''),
      coalesce('"' || nullif(i."unique_id", '') || '"', ''),
      coalesce('"' || nullif(i."short_id", '') || '"', ''),
      coalesce((i."amount_minor" * 0.01)::text, ''),
      coalesce('"' || nullif(i."currency", '') || '"', ''),
      coalesce((i."settlement_amount_minor" * 0.01)::text, ''),
      coalesce('"' || nullif(i."settlement_currency", '') || '"', ''),
      coalesce(i."settlement_date", ''),
      coalesce('"' || nullif(i."settlement_status", '') || '"', ''),
      coalesce('"' || nullif(i."matching_status", '') || '"', ''),
      coalesce('"' || nullif(i."matched_transactions", '') || '"', ''),
      coalesce('"' || nullif(i."matched_by", '') || '"', ''),
      coalesce('"' || nullif(i."payment_id", '') || '"', ''),
      coalesce('"' || nullif(i."merchant_transaction_id", '') || '"', ''),
      coalesce('"' || nullif(i."merchant_invoice_id", '') || '"', ''),
      coalesce('"' || nullif(i."chargeback_id", '') || '"', ''),
      coalesce(
        case
          when i."expected" ~ '^-?[0-9]+[.][0-9]{2}$' then i."expected"::numeric::text
          else '"' || nullif(i."expected", '') || '"'
        end,
        ''
      ),
      coalesce(
        case
          when i."actual" ~ '^-?[0-9]+[.][0-9]{2}$' then i."actual"::numeric::text
          else '"' || nullif(i."actual", '') || '"'
        end,
        ''
      ),
      coalesce((i."difference_minor" * 0.01)::text, ''),
      coalesce('"' || nullif(i."message", '') || '"', ''),
      coalesce(i."first_seen_run"::text, ''),
      coalesce('"' || nullif(i."difference_currency", '') || '"', ''),
      coalesce('"' || nullif(i."matched_through", '') || '"', ''),
      coalesce((i."paid_amount_minor" * 0.01)::text, ''),
      coalesce('"' || nullif(i."paid_currency", '') || '"', ''),
      coalesce(i."paid_on", ''),
      coalesce('"' || nullif(i."paid_as", '') || '"', ''),
      coalesce('"' || nullif(i."paid_account", '') || '"', '')
    ) || chr(13) || chr(10)
    else json_build_array(
      i."id",
      i."code",
      i."severity",
      i."source",
      i."file",
      i."line",
      i."reconciliation_type",
      i."payment_type",
      i."merchant_account_id",
      i."settlement_tx_id",
      i."unique_id",
      i."short_id",
      i."amount_minor"::text,
      i."currency",
      i."settlement_amount_minor"::text,
      i."settlement_currency",
      i."settlement_date",
      i."settlement_status",
      i."matching_status",
      i."matched_transactions",
      i."matched_by",
      i."payment_id",
      i."merchant_transaction_id",
      i."merchant_invoice_id",
      i."chargeback_id",
      i."expected",
      i."actual",
      i."difference_minor"::text,
      i."message",
      i."first_seen_run",
      i."difference_currency",
      i."matched_through",
      i."paid_amount_minor"::text,
      i."paid_currency",
      i."paid_on",
      i."paid_as",
      i."paid_account"
    )::text
  end as line
from
  (
    select
      d.id,
      d.code,
      d.severity,
      f.source,
      f.name as file,
      d.line,
      r.reconciliation_type,
      r.payment_type,
      r.merchant_account_id,
      r.settlement_tx_id,
      r.unique_id,
      r.short_id,
      r.amount_minor,
      r.currency,
      r.settlement_amount_minor,
      r.settlement_currency,
      r.settlement_date::text as settlement_date,
      r.settlement_status,
      nullif(m.status::text, 'NOT_APPLICABLE') as matching_status,
      (
        case m.status
          when 'MATCHED' then p.id
          when 'MULTIPLE_MATCHES' then (
            select
              string_agg(
                paid.id,
                ','
                order by
                  paid.id collate "C"
              )
            from
              match_candidates c
              join payments paid on paid.key = c.payment_key
            where
              c.file_id = m.file_id
              and c.line = m.line
          )
        end
      ) as matched_transactions,
      m.matched_by::text as matched_by,
      p.id as payment_id,
      p.merchant_transaction_id,
      p.merchant_invoice_id,
      l.chargeback_id,
      d.expected,
      d.actual,
      d.difference_minor,
      d.message,
      d.first_seen_run,
      (
        case
          when d.difference_minor is null then null
          else (
            case
              when d.code = $5 then r.settlement_currency
              when d.code = $6 then r.currency
              else coalesce(p.currency, r.currency)
            end
          )
        end
      ) as difference_currency,
      m.matched_through,
      p.amount_minor as paid_amount_minor,
      p.currency as paid_currency,
      (p.requested_at at time zone $7)::date::text as paid_on,
      p.payment_type as paid_as,
      nullif(p.entity_id, '') as paid_account
    from
      discrepancies d
      left join settlement_files f on f.id = d.file_id
      left join settlement_records r on r.file_id = d.file_id
      and r.line = d.line
      left join record_matches m on m.file_id = d.file_id
      and m.line = d.line
      left join chargeback_links l on l.file_id = d.file_id
      and l.line = d.line
      left join payments p on p.key = case
        when d.file_id is null then d.payment_key
        else m.payment_key
      end
    where
      d.id in (
        select
          d.id
        from
          (
            select
              d.*
            from
              discrepancies d
              cross join lateral (
                select
                  r.settlement_date
                from
                  settlement_records r
                where
                  r.file_id = d.file_id
                  and r.line = d.line
                offset
                  0
              ) r
            where
              d.resolved_run is null
              and d.file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.status = 'loaded'
                    and f.first_settlement_date <= $8
                    and f.last_settlement_date >= $9
                )
              )
              and r.settlement_date between $10 and $11
          ) d
        union
        select
          d.id
        from
          payments p
          cross join lateral (
            select
              d.id,
              d.file_id,
              d.resolved_run
            from
              discrepancies d
            where
              d.payment_key = p.key
            offset
              0
          ) d
        where
          d.file_id is null
          and d.resolved_run is null
          and (
            p.requested_at >= (($12::date - $13::int)::timestamp at time zone $14)
            and p.requested_at < ((least($15::date - $16::int, ($17::date - $18::int)) + 1)::timestamp at time zone $19)
          )
        union
        select
          d.id
        from
          discrepancies d
          join record_matches own on own.file_id = d.file_id
          and own.line = d.line
          join record_matches m on m.payment_key = own.payment_key
          cross join lateral (
            select
              r.file_id,
              r.line,
              r.reconciliation_type,
              r.settlement_date
            from
              settlement_records r
            where
              r.file_id = m.file_id
              and r.line = m.line
            offset
              0
          ) r
        where
          d.resolved_run is null
          and d.code in ($20, $21, $22)
          and r.reconciliation_type in ($23)
          and r.settlement_date between $24 and $25
        union
        select
          d.id
        from
          discrepancies d
          join record_matches own on own.file_id = d.file_id
          and own.line = d.line
          join record_matches m on m.payment_key = own.payment_key
          cross join lateral (
            select
              r.file_id,
              r.line,
              r.reconciliation_type,
              r.settlement_date
            from
              settlement_records r
            where
              r.file_id = m.file_id
              and r.line = m.line
            offset
              0
          ) r
        where
          d.resolved_run is null
          and d.code in ($26)
          and r.reconciliation_type in ($27, $28)
          and r.settlement_date between $29 and $30
      )
    order by
      (d.file_id is null),
      r.settlement_date,
      coalesce(r.settlement_tx_id, '') collate "C",
      r.fingerprint,
      r.occurrence,
      p.id collate "C",
      d.code collate "C",
      d.id collate "C"
    offset
      0
  ) i
  cross join lateral (
    select
      (
        concat_ws(
          chr(31),
          i."id",
          i."code",
          i."severity",
          i."source",
          i."file",
          i."reconciliation_type",
          i."payment_type",
          i."merchant_account_id",
          i."settlement_tx_id",
          i."unique_id",
          i."short_id",
          i."currency",
          i."settlement_currency",
          i."settlement_status",
          i."matching_status",
          i."matched_transactions",
          i."matched_by",
          i."payment_id",
          i."merchant_transaction_id",
          i."merchant_invoice_id",
          i."chargeback_id",
          i."expected",
          i."actual",
          i."message",
          i."difference_currency",
          i."matched_through",
          i."paid_currency",
          i."paid_as",
          i."paid_account"
        ) collate "C"
      ) as texts,
      (concat_ws(chr(31), i."expected", i."actual", i."message") collate "C") as free
    offset
      0
  ) t;
