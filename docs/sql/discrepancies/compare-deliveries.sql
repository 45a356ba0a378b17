-- Finds RECORD_REDELIVERED: compares the cells of the records that wait for a decision with the former ones.
insert into
  found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
select
  left(
    encode(
      sha256(convert_to('RECORD_REDELIVERED' || ':' || r.fingerprint || ':' || r.occurrence, 'UTF8')),
      'hex'
    ),
    32
  ),
  'RECORD_REDELIVERED',
  $1,
  r.file_id,
  r.line,
  n.payment_key,
  coalesce(c.expected, 'the same values written differently'),
  coalesce(c.actual, 'the same values written differently'),
  case
    when r.currency = o.currency then nullif(r.amount_minor - o.amount_minor, 0)
  end,
  format(
    case
      when again.name is null then '%1$s line %2$s delivered this record before, with %3$s. '
      else '%1$s line %2$s corrected this record, with %3$s, and %4$s delivers it as it was before. '
    end || 'Until somebody decides which of the two counts, this one takes no part in any sum.',
    f.name,
    o.line,
    coalesce('another ' || c.names, 'the same values written differently'),
    again.name
  )
from
  uncounted_records u
  join review_records r on r.file_id = u.file_id
  and r.line = u.line
  join new_matches n on n.file_id = r.file_id
  and n.line = r.line
  and n.needs_review
  join settlement_records o on o.file_id = u.other_file_id
  and o.line = u.other_line
  join settlement_files f on f.id = o.file_id
  cross join lateral (
    select
      nullif(
        concat_ws(
          ', ',
          case
            when coalesce("o"."reconciliation_type"::text, '') <> coalesce("r"."reconciliation_type"::text, '') then $2::text
          end,
          case
            when coalesce("o"."payment_type"::text, '') <> coalesce("r"."payment_type"::text, '') then $3::text
          end,
          case
            when coalesce("o"."cashflow"::text, '') <> coalesce("r"."cashflow"::text, '') then $4::text
          end,
          case
            when coalesce("o"."clearing_institute_merchant_id"::text, '') <> coalesce("r"."clearing_institute_merchant_id"::text, '') then $5::text
          end,
          case
            when coalesce("o"."merchant_account_id"::text, '') <> coalesce("r"."merchant_account_id"::text, '') then $6::text
          end,
          case
            when coalesce("o"."merchant_account_name"::text, '') <> coalesce("r"."merchant_account_name"::text, '') then $7::text
          end,
          case
            when coalesce("o"."psp_id"::text, '') <> coalesce("r"."psp_id"::text, '') then $8::text
          end,
          case
            when coalesce("o"."division_id"::text, '') <> coalesce("r"."division_id"::text, '') then $9::text
          end,
          case
            when coalesce("o"."merchant_id"::text, '') <> coalesce("r"."merchant_id"::text, '') then $10::text
          end,
          case
            when coalesce("o"."settlement_tx_id"::text, '') <> coalesce("r"."settlement_tx_id"::text, '') then $11::text
          end,
          case
            when coalesce("o"."unique_id"::text, '') <> coalesce("r"."unique_id"::text, '') then $12::text
          end,
          case
            when coalesce("o"."short_id"::text, '') <> coalesce("r"."short_id"::text, '') then $13::text
          end,
          case
            when coalesce("o"."connector_tx_id1"::text, '') <> coalesce("r"."connector_tx_id1"::text, '') then $14::text
          end,
          case
            when coalesce("o"."connector_tx_id2"::text, '') <> coalesce("r"."connector_tx_id2"::text, '') then $15::text
          end,
          case
            when coalesce("o"."connector_tx_id3"::text, '') <> coalesce("r"."connector_tx_id3"::text, '') then $16::text
          end,
          case
            when "o"."amount_minor" is distinct from "r"."amount_minor" then $17::text
          end,
          case
            when coalesce("o"."currency"::text, '') <> coalesce("r"."currency"::text, '') then $18::text
          end,
          case
            when coalesce("o"."brand"::text, '') <> coalesce("r"."brand"::text, '') then $19::text
          end,
          case
            when "o"."tx_request_time" is distinct from "r"."tx_request_time" then $20::text
          end,
          case
            when "o"."settlement_amount_minor" is distinct from "r"."settlement_amount_minor" then $21::text
          end,
          case
            when coalesce("o"."settlement_currency"::text, '') <> coalesce("r"."settlement_currency"::text, '') then $22::text
          end,
          case
            when "o"."settlement_fee_minor" is distinct from "r"."settlement_fee_minor" then $23::text
          end,
          case
            when "o"."settlement_fx_rate_hundredths" is distinct from "r"."settlement_fx_rate_hundredths" then $24::text
          end,
          case
            when "o"."settlement_date" is distinct from "r"."settlement_date" then $25::text
          end,
          case
            when coalesce("o"."settlement_status"::text, '') <> coalesce("r"."settlement_status"::text, '') then $26::text
          end,
          case
            when coalesce("o"."descriptor"::text, '') <> coalesce("r"."descriptor"::text, '') then $27::text
          end,
          case
            when coalesce("o"."account_number_last4"::text, '') <> coalesce("r"."account_number_last4"::text, '') then $28::text
          end,
          case
            when coalesce("o"."bank_code"::text, '') <> coalesce("r"."bank_code"::text, '') then $29::text
          end,
          case
            when coalesce("o"."account_holder"::text, '') <> coalesce("r"."account_holder"::text, '') then $30::text
          end,
          case
            when coalesce("o"."reason_code"::text, '') <> coalesce("r"."reason_code"::text, '') then $31::text
          end,
          case
            when coalesce("o"."reason_desc"::text, '') <> coalesce("r"."reason_desc"::text, '') then $32::text
          end,
          case
            when coalesce("o"."settlement_file_format"::text, '') <> coalesce("r"."settlement_file_format"::text, '') then $33::text
          end,
          case
            when coalesce("o"."clearing_institute_name"::text, '') <> coalesce("r"."clearing_institute_name"::text, '') then $34::text
          end
        ),
        ''
      ) as names,
      nullif(
        concat_ws(
          ', ',
          case
            when coalesce("o"."reconciliation_type"::text, '') <> coalesce("r"."reconciliation_type"::text, '') then $35::text || coalesce(nullif("o"."reconciliation_type"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."payment_type"::text, '') <> coalesce("r"."payment_type"::text, '') then $36::text || coalesce(nullif("o"."payment_type"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."cashflow"::text, '') <> coalesce("r"."cashflow"::text, '') then $37::text || coalesce(nullif("o"."cashflow"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."clearing_institute_merchant_id"::text, '') <> coalesce("r"."clearing_institute_merchant_id"::text, '') then $38::text || coalesce(nullif("o"."clearing_institute_merchant_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."merchant_account_id"::text, '') <> coalesce("r"."merchant_account_id"::text, '') then $39::text || coalesce(nullif("o"."merchant_account_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."merchant_account_name"::text, '') <> coalesce("r"."merchant_account_name"::text, '') then $40::text || coalesce(nullif("o"."merchant_account_name"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."psp_id"::text, '') <> coalesce("r"."psp_id"::text, '') then $41::text || coalesce(nullif("o"."psp_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."division_id"::text, '') <> coalesce("r"."division_id"::text, '') then $42::text || coalesce(nullif("o"."division_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."merchant_id"::text, '') <> coalesce("r"."merchant_id"::text, '') then $43::text || coalesce(nullif("o"."merchant_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_tx_id"::text, '') <> coalesce("r"."settlement_tx_id"::text, '') then $44::text || coalesce(nullif("o"."settlement_tx_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."unique_id"::text, '') <> coalesce("r"."unique_id"::text, '') then $45::text || coalesce(nullif("o"."unique_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."short_id"::text, '') <> coalesce("r"."short_id"::text, '') then $46::text || coalesce(nullif("o"."short_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."connector_tx_id1"::text, '') <> coalesce("r"."connector_tx_id1"::text, '') then $47::text || coalesce(nullif("o"."connector_tx_id1"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."connector_tx_id2"::text, '') <> coalesce("r"."connector_tx_id2"::text, '') then $48::text || coalesce(nullif("o"."connector_tx_id2"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."connector_tx_id3"::text, '') <> coalesce("r"."connector_tx_id3"::text, '') then $49::text || coalesce(nullif("o"."connector_tx_id3"::text, ''), '(empty)')
          end,
          case
            when "o"."amount_minor" is distinct from "r"."amount_minor" then $50::text || coalesce(nullif(round(("o"."amount_minor")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."currency"::text, '') <> coalesce("r"."currency"::text, '') then $51::text || coalesce(nullif("o"."currency"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."brand"::text, '') <> coalesce("r"."brand"::text, '') then $52::text || coalesce(nullif("o"."brand"::text, ''), '(empty)')
          end,
          case
            when "o"."tx_request_time" is distinct from "r"."tx_request_time" then $53::text || coalesce(
              nullif(to_char("o"."tx_request_time" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+0000"'), ''),
              '(empty)'
            )
          end,
          case
            when "o"."settlement_amount_minor" is distinct from "r"."settlement_amount_minor" then $54::text || coalesce(nullif(round(("o"."settlement_amount_minor")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_currency"::text, '') <> coalesce("r"."settlement_currency"::text, '') then $55::text || coalesce(nullif("o"."settlement_currency"::text, ''), '(empty)')
          end,
          case
            when "o"."settlement_fee_minor" is distinct from "r"."settlement_fee_minor" then $56::text || coalesce(nullif(round(("o"."settlement_fee_minor")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when "o"."settlement_fx_rate_hundredths" is distinct from "r"."settlement_fx_rate_hundredths" then $57::text || coalesce(nullif(round(("o"."settlement_fx_rate_hundredths")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when "o"."settlement_date" is distinct from "r"."settlement_date" then $58::text || coalesce(nullif("o"."settlement_date"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_status"::text, '') <> coalesce("r"."settlement_status"::text, '') then $59::text || coalesce(nullif("o"."settlement_status"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."descriptor"::text, '') <> coalesce("r"."descriptor"::text, '') then $60::text || coalesce(nullif("o"."descriptor"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."account_number_last4"::text, '') <> coalesce("r"."account_number_last4"::text, '') then $61::text || coalesce(nullif("o"."account_number_last4"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."bank_code"::text, '') <> coalesce("r"."bank_code"::text, '') then $62::text || coalesce(nullif("o"."bank_code"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."account_holder"::text, '') <> coalesce("r"."account_holder"::text, '') then $63::text || coalesce(nullif("o"."account_holder"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."reason_code"::text, '') <> coalesce("r"."reason_code"::text, '') then $64::text || coalesce(nullif("o"."reason_code"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."reason_desc"::text, '') <> coalesce("r"."reason_desc"::text, '') then $65::text || coalesce(nullif("o"."reason_desc"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_file_format"::text, '') <> coalesce("r"."settlement_file_format"::text, '') then $66::text || coalesce(nullif("o"."settlement_file_format"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."clearing_institute_name"::text, '') <> coalesce("r"."clearing_institute_name"::text, '') then $67::text || coalesce(nullif("o"."clearing_institute_name"::text, ''), '(empty)')
          end
        ),
        ''
      ) as expected,
      nullif(
        concat_ws(
          ', ',
          case
            when coalesce("o"."reconciliation_type"::text, '') <> coalesce("r"."reconciliation_type"::text, '') then $68::text || coalesce(nullif("r"."reconciliation_type"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."payment_type"::text, '') <> coalesce("r"."payment_type"::text, '') then $69::text || coalesce(nullif("r"."payment_type"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."cashflow"::text, '') <> coalesce("r"."cashflow"::text, '') then $70::text || coalesce(nullif("r"."cashflow"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."clearing_institute_merchant_id"::text, '') <> coalesce("r"."clearing_institute_merchant_id"::text, '') then $71::text || coalesce(nullif("r"."clearing_institute_merchant_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."merchant_account_id"::text, '') <> coalesce("r"."merchant_account_id"::text, '') then $72::text || coalesce(nullif("r"."merchant_account_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."merchant_account_name"::text, '') <> coalesce("r"."merchant_account_name"::text, '') then $73::text || coalesce(nullif("r"."merchant_account_name"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."psp_id"::text, '') <> coalesce("r"."psp_id"::text, '') then $74::text || coalesce(nullif("r"."psp_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."division_id"::text, '') <> coalesce("r"."division_id"::text, '') then $75::text || coalesce(nullif("r"."division_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."merchant_id"::text, '') <> coalesce("r"."merchant_id"::text, '') then $76::text || coalesce(nullif("r"."merchant_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_tx_id"::text, '') <> coalesce("r"."settlement_tx_id"::text, '') then $77::text || coalesce(nullif("r"."settlement_tx_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."unique_id"::text, '') <> coalesce("r"."unique_id"::text, '') then $78::text || coalesce(nullif("r"."unique_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."short_id"::text, '') <> coalesce("r"."short_id"::text, '') then $79::text || coalesce(nullif("r"."short_id"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."connector_tx_id1"::text, '') <> coalesce("r"."connector_tx_id1"::text, '') then $80::text || coalesce(nullif("r"."connector_tx_id1"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."connector_tx_id2"::text, '') <> coalesce("r"."connector_tx_id2"::text, '') then $81::text || coalesce(nullif("r"."connector_tx_id2"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."connector_tx_id3"::text, '') <> coalesce("r"."connector_tx_id3"::text, '') then $82::text || coalesce(nullif("r"."connector_tx_id3"::text, ''), '(empty)')
          end,
          case
            when "o"."amount_minor" is distinct from "r"."amount_minor" then $83::text || coalesce(nullif(round(("r"."amount_minor")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."currency"::text, '') <> coalesce("r"."currency"::text, '') then $84::text || coalesce(nullif("r"."currency"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."brand"::text, '') <> coalesce("r"."brand"::text, '') then $85::text || coalesce(nullif("r"."brand"::text, ''), '(empty)')
          end,
          case
            when "o"."tx_request_time" is distinct from "r"."tx_request_time" then $86::text || coalesce(
              nullif(to_char("r"."tx_request_time" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+0000"'), ''),
              '(empty)'
            )
          end,
          case
            when "o"."settlement_amount_minor" is distinct from "r"."settlement_amount_minor" then $87::text || coalesce(nullif(round(("r"."settlement_amount_minor")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_currency"::text, '') <> coalesce("r"."settlement_currency"::text, '') then $88::text || coalesce(nullif("r"."settlement_currency"::text, ''), '(empty)')
          end,
          case
            when "o"."settlement_fee_minor" is distinct from "r"."settlement_fee_minor" then $89::text || coalesce(nullif(round(("r"."settlement_fee_minor")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when "o"."settlement_fx_rate_hundredths" is distinct from "r"."settlement_fx_rate_hundredths" then $90::text || coalesce(nullif(round(("r"."settlement_fx_rate_hundredths")::numeric / 100, 2)::text, ''), '(empty)')
          end,
          case
            when "o"."settlement_date" is distinct from "r"."settlement_date" then $91::text || coalesce(nullif("r"."settlement_date"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_status"::text, '') <> coalesce("r"."settlement_status"::text, '') then $92::text || coalesce(nullif("r"."settlement_status"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."descriptor"::text, '') <> coalesce("r"."descriptor"::text, '') then $93::text || coalesce(nullif("r"."descriptor"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."account_number_last4"::text, '') <> coalesce("r"."account_number_last4"::text, '') then $94::text || coalesce(nullif("r"."account_number_last4"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."bank_code"::text, '') <> coalesce("r"."bank_code"::text, '') then $95::text || coalesce(nullif("r"."bank_code"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."account_holder"::text, '') <> coalesce("r"."account_holder"::text, '') then $96::text || coalesce(nullif("r"."account_holder"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."reason_code"::text, '') <> coalesce("r"."reason_code"::text, '') then $97::text || coalesce(nullif("r"."reason_code"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."reason_desc"::text, '') <> coalesce("r"."reason_desc"::text, '') then $98::text || coalesce(nullif("r"."reason_desc"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."settlement_file_format"::text, '') <> coalesce("r"."settlement_file_format"::text, '') then $99::text || coalesce(nullif("r"."settlement_file_format"::text, ''), '(empty)')
          end,
          case
            when coalesce("o"."clearing_institute_name"::text, '') <> coalesce("r"."clearing_institute_name"::text, '') then $100::text || coalesce(nullif("r"."clearing_institute_name"::text, ''), '(empty)')
          end
        ),
        ''
      ) as actual
  ) c
  left join lateral (
    select
      a.name
    from
      (
        select
          file_id
        from
          already_known_rows
        where
          record_file_id = r.file_id
          and record_line = r.line
        except
        select
          file_id
        from
          already_known_rows
        where
          record_file_id = u.other_file_id
          and record_line = u.other_line
      ) k
      join settlement_files a on a.id = k.file_id
    where
      k.file_id not in (
        select
          w.file_id
        from
          withdrawn_files w
      )
      and a.source = (
        select
          s.source
        from
          settlement_files s
        where
          s.id = (
            select
              min(b.file_id)
            from
              (
                select
                  r.file_id
                union all
                select
                  y.file_id
                from
                  already_known_rows y
                where
                  y.record_file_id = r.file_id
                  and y.record_line = r.line
              ) b
            where
              b.file_id not in (
                select
                  w.file_id
                from
                  withdrawn_files w
              )
          )
      )
    order by
      k.file_id desc
    limit
      1
  ) again on u.other_file_id > u.file_id
where
  u.reason = 'REDELIVERED';
