-- Reads discrepancies.csv in its order: the values of each row as one text.
select
  unnest(
    case
      when octet_length(w.line) <= $1::integer then array[w.line]
      else array(
        select
          case
            when at + $2::integer > octet_length(b.bytes) then $3
            else $4
          end || encode(
            substring(
              b.bytes
              from
                at for $5::integer
            ),
            'hex'
          )
        from
          (
            select
              convert_to(w.line, 'UTF8') as bytes
            offset
              0
          ) b
          cross join lateral generate_series(1, octet_length(b.bytes), $6::integer) at
        order by
          at
      )
    end
  ) as line
from
  (
    select
      d.file_id is null as of_payment,
      r.settlement_date as settled_on,
      coalesce(r.settlement_tx_id, '') as sort_tx_id,
      r.fingerprint,
      r.occurrence,
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
      case
        when l.active then l.chargeback_id
      end as chargeback_id,
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
              when d.code = $7 then r.settlement_currency
              when d.code = $8 then r.currency
              else coalesce(p.currency, r.currency)
            end
          )
        end
      ) as difference_currency,
      m.matched_through,
      p.amount_minor as paid_amount_minor,
      p.currency as paid_currency,
      (p.requested_at at time zone $9)::date::text as paid_on,
      p.payment_type as paid_as,
      nullif(p.entity_id, '') as paid_account,
      coalesce(d.difference_minor, r.amount_minor, p.amount_minor) as stated_minor,
      coalesce(
        (
          case
            when d.difference_minor is null then null
            else (
              case
                when d.code = $10 then r.settlement_currency
                when d.code = $11 then r.currency
                else coalesce(p.currency, r.currency)
              end
            )
          end
        ),
        r.currency,
        p.currency
      ) as stated_currency
    from
      (
        select
          d.*
        from
          discrepancies d
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
                and f.first_settlement_date <= $12
                and f.last_settlement_date >= $13
                and f.first_settlement_date >= $14
                and f.last_settlement_date <= $15
            )
          )
        union all
        select
          d.*
        from
          (
            select
              *
            from
              discrepancies
            where
              resolved_run is null
              and file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.status = 'loaded'
                    and f.first_settlement_date <= $16
                    and f.last_settlement_date >= $17
                    and not (
                      f.first_settlement_date >= $18
                      and f.last_settlement_date <= $19
                    )
                )
              )
          ) d
          full join (
            select
              file_id,
              line
            from
              settlement_records r
            where
              r.file_id = any (string_to_array($20, ',')::integer[])
              and file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.status = 'loaded'
                    and f.first_settlement_date <= $21
                    and f.last_settlement_date >= $22
                    and not (
                      f.first_settlement_date >= $23
                      and f.last_settlement_date <= $24
                    )
                )
              )
              and settlement_date between $25 and $26
          ) r on r.file_id = d.file_id
          and r.line = d.line
        where
          coalesce(
            d.id is not null
            and r.line is not null,
            false
          )
        union all
        select
          d.*
        from
          (
            select
              *
            from
              discrepancies
            where
              resolved_run is null
              and file_id is null
          ) d
          full join (
            select
              p.key
            from
              payments p
            where
              (
                p.requested_at >= $27::timestamptz
                and p.requested_at < $28::timestamptz
              )
          ) p on p.key = d.payment_key
        where
          coalesce(
            d.id is not null
            and p.key is not null,
            false
          )
        union all
        select
          d.*
        from
          discrepancies d
        where
          d.id in (
            (
              with
                others as materialized (
                  select
                    d.id,
                    own.payment_key,
                    case
                      when d.code in ($29, $30, $31) then 0
                      when d.code in ($32, $33) then 1
                    end as sum
                  from
                    discrepancies d
                    join record_matches own on own.file_id = d.file_id
                    and own.line = d.line
                  where
                    d.resolved_run is null
                    and d.code in ($34, $35, $36, $37, $38)
                    and not (
                      d.file_id = any (string_to_array($39, ',')::integer[])
                      and exists (
                        select
                        from
                          settlement_records r
                        where
                          r.file_id = any (string_to_array($40, ',')::integer[])
                          and r.file_id = d.file_id
                          and r.line = d.line
                          and r.settlement_date between $41 and $42
                      )
                    )
                ),
                shared as materialized (
                  select distinct
                    d.payment_key,
                    s.sum
                  from
                    (
                      select distinct
                        payment_key
                      from
                        others o
                    ) d
                    join record_matches m on m.payment_key = d.payment_key
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
                        and m.file_id = any (string_to_array($43, ',')::integer[])
                        and r.file_id = any (string_to_array($44, ',')::integer[])
                      limit
                        1
                    ) r
                    cross join lateral (
                      select
                        case
                          when r.reconciliation_type in ($45) then 0
                          when r.reconciliation_type in ($46, $47) then 1
                        end as sum
                    ) s
                  where
                    s.sum is not null
                    and r.settlement_date between $48 and $49
                )
              select
                d.id
              from
                others d
                full join shared on shared.payment_key = d.payment_key
                and shared.sum = d.sum
              where
                coalesce(
                  d.id is not null
                  and shared.payment_key is not null,
                  false
                )
            )
          )
      ) d
      left join settlement_files f on f.id = d.file_id
      left join lateral (
        select
          "r".*
        from
          "settlement_records" "r"
        where
          r.file_id = d.file_id
          and r.line = d.line
        limit
          1
      ) "r" on true
      left join lateral (
        select
          "m".*
        from
          "record_matches" "m"
        where
          m.file_id = d.file_id
          and m.line = d.line
        limit
          1
      ) "m" on true
      left join lateral (
        select
          "l".*
        from
          "chargeback_links" "l"
        where
          l.file_id = d.file_id
          and l.line = d.line
        limit
          1
      ) "l" on true
      left join lateral (
        select
          "p".*
        from
          "payments" "p"
        where
          p.key = case
            when d.file_id is null then d.payment_key
            else m.payment_key
          end
        limit
          1
      ) "p" on true
    where
      (
        d.file_id is not null
        or (
          p.requested_at >= $50::timestamptz
          and p.requested_at < $51::timestamptz
        )
      )
    offset
      0
  ) i
  cross join lateral (
    select
      (
        chr(31) || coalesce(i."line"::text, '') || chr(31) || coalesce(i."amount_minor"::text, '') || chr(31) || coalesce(i."settlement_amount_minor"::text, '') || chr(31) || coalesce(i."settlement_date"::text, '') || chr(31) || coalesce(i."difference_minor"::text, '') || chr(31) || coalesce(i."first_seen_run"::text, '') || chr(31) || coalesce(i."paid_amount_minor"::text, '') || chr(31) || coalesce(i."paid_on"::text, '')
      ) || (
        chr(31) || coalesce(i."stated_minor"::text, '') || chr(31) || coalesce(i."id"::text, '') || chr(31) || coalesce(i."code"::text, '') || chr(31) || coalesce(i."severity"::text, '') || chr(31) || coalesce(i."source"::text, '') || chr(31) || coalesce(i."file"::text, '') || chr(31) || coalesce(i."reconciliation_type"::text, '') || chr(31) || coalesce(i."payment_type"::text, '')
      ) || (
        chr(31) || coalesce(i."merchant_account_id"::text, '') || chr(31) || coalesce(i."settlement_tx_id"::text, '') || chr(31) || coalesce(i."unique_id"::text, '') || chr(31) || coalesce(i."short_id"::text, '') || chr(31) || coalesce(i."currency"::text, '') || chr(31) || coalesce(i."settlement_currency"::text, '') || chr(31) || coalesce(i."settlement_status"::text, '') || chr(31) || coalesce(i."matching_status"::text, '')
      ) || (
        chr(31) || coalesce(i."matched_transactions"::text, '') || chr(31) || coalesce(i."matched_by"::text, '') || chr(31) || coalesce(i."payment_id"::text, '') || chr(31) || coalesce(i."merchant_transaction_id"::text, '') || chr(31) || coalesce(i."merchant_invoice_id"::text, '') || chr(31) || coalesce(i."chargeback_id"::text, '') || chr(31) || coalesce(i."difference_currency"::text, '') || chr(31) || coalesce(i."matched_through"::text, '')
      ) || (
        chr(31) || coalesce(i."paid_currency"::text, '') || chr(31) || coalesce(i."paid_as"::text, '') || chr(31) || coalesce(i."paid_account"::text, '') || chr(31) || coalesce(i."stated_currency"::text, '') || chr(31) || coalesce(i."expected"::text, '') || chr(31) || coalesce(i."actual"::text, '') || chr(31) || coalesce(i."message"::text, '')
      ) as line
    offset
      0
  ) t
  cross join lateral (
    select
      case
        when octet_length(t.line) - octet_length(replace(t.line, chr(31), '')) = $52 then t.line
        else to_json(
          array[
            coalesce(i."line"::text, ''),
            coalesce(i."amount_minor"::text, ''),
            coalesce(i."settlement_amount_minor"::text, ''),
            coalesce(i."settlement_date"::text, ''),
            coalesce(i."difference_minor"::text, ''),
            coalesce(i."first_seen_run"::text, ''),
            coalesce(i."paid_amount_minor"::text, ''),
            coalesce(i."paid_on"::text, ''),
            coalesce(i."stated_minor"::text, ''),
            coalesce(i."id"::text, ''),
            coalesce(i."code"::text, ''),
            coalesce(i."severity"::text, ''),
            coalesce(i."source"::text, ''),
            coalesce(i."file"::text, ''),
            coalesce(i."reconciliation_type"::text, ''),
            coalesce(i."payment_type"::text, ''),
            coalesce(i."merchant_account_id"::text, ''),
            coalesce(i."settlement_tx_id"::text, ''),
            coalesce(i."unique_id"::text, ''),
            coalesce(i."short_id"::text, ''),
            coalesce(i."currency"::text, ''),
            coalesce(i."settlement_currency"::text, ''),
            coalesce(i."settlement_status"::text, ''),
            coalesce(i."matching_status"::text, ''),
            coalesce(i."matched_transactions"::text, ''),
            coalesce(i."matched_by"::text, ''),
            coalesce(i."payment_id"::text, ''),
            coalesce(i."merchant_transaction_id"::text, ''),
            coalesce(i."merchant_invoice_id"::text, ''),
            coalesce(i."chargeback_id"::text, ''),
            coalesce(i."difference_currency"::text, ''),
            coalesce(i."matched_through"::text, ''),
            coalesce(i."paid_currency"::text, ''),
            coalesce(i."paid_as"::text, ''),
            coalesce(i."paid_account"::text, ''),
            coalesce(i."stated_currency"::text, ''),
            coalesce(i."expected"::text, ''),
            coalesce(i."actual"::text, ''),
            coalesce(i."message"::text, '')
          ]
        )::text
      end as line
    offset
      0
  ) w
order by
  i.of_payment,
  i.settled_on,
  i.sort_tx_id collate "C",
  i.fingerprint,
  i.occurrence,
  i.payment_id collate "C",
  i.code collate "C",
  i.id collate "C";
