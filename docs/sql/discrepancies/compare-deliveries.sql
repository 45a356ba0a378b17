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
    '%s line %s delivered this record before, with %s. Until somebody decides which of the two counts, ' 'this one takes no part in any sum.',
    f.name,
    o.line,
    coalesce('another ' || c.names, 'the same values written differently')
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
      string_agg(
        name || ' ' || coalesce(nullif(former, ''), '(empty)'),
        ', '
        order by
          place
      ) as expected,
      string_agg(
        name || ' ' || coalesce(nullif(later, ''), '(empty)'),
        ', '
        order by
          place
      ) as actual,
      string_agg(
        name,
        ', '
        order by
          place
      ) as names
    from
      (
        values
          ($2::integer, $3::text, "o"."reconciliation_type"::text, "r"."reconciliation_type"::text),
          ($4::integer, $5::text, "o"."payment_type"::text, "r"."payment_type"::text),
          ($6::integer, $7::text, "o"."cashflow"::text, "r"."cashflow"::text),
          (
            $8::integer,
            $9::text,
            "o"."clearing_institute_merchant_id"::text,
            "r"."clearing_institute_merchant_id"::text
          ),
          ($10::integer, $11::text, "o"."merchant_account_id"::text, "r"."merchant_account_id"::text),
          ($12::integer, $13::text, "o"."merchant_account_name"::text, "r"."merchant_account_name"::text),
          ($14::integer, $15::text, "o"."psp_id"::text, "r"."psp_id"::text),
          ($16::integer, $17::text, "o"."division_id"::text, "r"."division_id"::text),
          ($18::integer, $19::text, "o"."merchant_id"::text, "r"."merchant_id"::text),
          ($20::integer, $21::text, "o"."settlement_tx_id"::text, "r"."settlement_tx_id"::text),
          ($22::integer, $23::text, "o"."unique_id"::text, "r"."unique_id"::text),
          ($24::integer, $25::text, "o"."short_id"::text, "r"."short_id"::text),
          ($26::integer, $27::text, "o"."connector_tx_id1"::text, "r"."connector_tx_id1"::text),
          ($28::integer, $29::text, "o"."connector_tx_id2"::text, "r"."connector_tx_id2"::text),
          ($30::integer, $31::text, "o"."connector_tx_id3"::text, "r"."connector_tx_id3"::text),
          (
            $32::integer,
            $33::text,
            round(("o"."amount_minor")::numeric / 100, 2)::text,
            round(("r"."amount_minor")::numeric / 100, 2)::text
          ),
          ($34::integer, $35::text, "o"."currency"::text, "r"."currency"::text),
          ($36::integer, $37::text, "o"."brand"::text, "r"."brand"::text),
          (
            $38::integer,
            $39::text,
            to_char("o"."tx_request_time" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+0000"'),
            to_char("r"."tx_request_time" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+0000"')
          ),
          (
            $40::integer,
            $41::text,
            round(("o"."settlement_amount_minor")::numeric / 100, 2)::text,
            round(("r"."settlement_amount_minor")::numeric / 100, 2)::text
          ),
          ($42::integer, $43::text, "o"."settlement_currency"::text, "r"."settlement_currency"::text),
          (
            $44::integer,
            $45::text,
            round(("o"."settlement_fee_minor")::numeric / 100, 2)::text,
            round(("r"."settlement_fee_minor")::numeric / 100, 2)::text
          ),
          (
            $46::integer,
            $47::text,
            round(("o"."settlement_fx_rate_hundredths")::numeric / 100, 2)::text,
            round(("r"."settlement_fx_rate_hundredths")::numeric / 100, 2)::text
          ),
          ($48::integer, $49::text, "o"."settlement_date"::text, "r"."settlement_date"::text),
          ($50::integer, $51::text, "o"."settlement_status"::text, "r"."settlement_status"::text),
          ($52::integer, $53::text, "o"."descriptor"::text, "r"."descriptor"::text),
          ($54::integer, $55::text, "o"."account_number_last4"::text, "r"."account_number_last4"::text),
          ($56::integer, $57::text, "o"."bank_code"::text, "r"."bank_code"::text),
          ($58::integer, $59::text, "o"."account_holder"::text, "r"."account_holder"::text),
          ($60::integer, $61::text, "o"."reason_code"::text, "r"."reason_code"::text),
          ($62::integer, $63::text, "o"."reason_desc"::text, "r"."reason_desc"::text),
          ($64::integer, $65::text, "o"."settlement_file_format"::text, "r"."settlement_file_format"::text),
          ($66::integer, $67::text, "o"."clearing_institute_name"::text, "r"."clearing_institute_name"::text)
      ) cell (place, name, former, later)
    where
      coalesce(former, '') <> coalesce(later, '')
  ) c
where
  u.reason = 'REDELIVERED';
