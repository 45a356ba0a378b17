-- Makes every check of a single record on the records that need a review, and writes the messages.
insert into
  found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
select
  left(
    encode(sha256(convert_to(f.code || ':' || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'),
    32
  ),
  f.code,
  f.severity,
  r.file_id,
  r.line,
  m.payment_key,
  f.expected,
  f.actual,
  f.difference_minor,
  f.message
from
  review_records r
  join new_matches m on m.file_id = r.file_id
  and m.line = r.line
  and m.needs_review
  left join payments p on p.key = m.payment_key
  left join reversed_payments v on v.payment_key = m.payment_key
  left join repeated_failures e on e.file_id = r.file_id
  and e.line = r.line
  cross join lateral (
    select
      $1::text,
      $2::text,
      'one payment'::text,
      (
        case m.status
          when 'MATCHED' then 'one payment'
          when 'NOT_MATCHED' then 'none'
          else (
            select
              count(*)
            from
              match_candidates c
            where
              c.file_id = r.file_id
              and c.line = r.line
          ) || ' payments'
        end
      )::text,
      null::bigint,
      format(
        'No stored payment belongs to this record of %s (%s).%s%s%s',
        round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency,
        coalesce(
          nullif(
            concat_ws(
              ', ',
              'UniqueID ' || nullif(r.unique_id, ''),
              'ShortId ' || nullif(r.short_id, ''),
              'ConnectorTxId1 ' || nullif(r.connector_tx_id1, ''),
              'ConnectorTxId2 ' || nullif(r.connector_tx_id2, ''),
              'ConnectorTxId3 ' || nullif(r.connector_tx_id3, '')
            ),
            ''
          ),
          'it carries no payment reference, ' || coalesce(
            'and without ' || nullif(
              concat_ws(
                ' and ',
                case
                  when coalesce(r.account_number_last4, '') = '' then 'AccountNumberLast4'
                end,
                case
                  when r.tx_request_time is null then 'TxRequestTime'
                end
              ),
              ''
            ) || ' it is not looked up by account, amount and time',
            'and account, amount and time find none'
          )
        ),
        coalesce(
          ' Not used, because too many payments have the same value: ' || nullif(
            concat_ws(
              ', ',
              case
                when r."short_id" is not null
                and ($3, r."short_id") in (
                  select
                    identifier,
                    value
                  from
                    crowded_values
                  where
                    identifier is not null
                )
                and exists (
                  select
                  from
                    undecided_records u
                  where
                    u.file_id = r.file_id
                    and u.line = r.line
                ) then $4::text
              end,
              case
                when r."connector_tx_id1" is not null
                and ($5, r."connector_tx_id1") in (
                  select
                    identifier,
                    value
                  from
                    crowded_values
                  where
                    identifier is not null
                )
                and exists (
                  select
                  from
                    undecided_records u
                  where
                    u.file_id = r.file_id
                    and u.line = r.line
                )
                and not exists (
                  select
                  from
                    decided_records d
                  where
                    d.file_id = r.file_id
                    and d.line = r.line
                    and d.matched_by = 'SHORT_ID'
                ) then $6::text
              end,
              case
                when r."connector_tx_id2" is not null
                and ($7, r."connector_tx_id2") in (
                  select
                    identifier,
                    value
                  from
                    crowded_values
                  where
                    identifier is not null
                )
                and exists (
                  select
                  from
                    undecided_records u
                  where
                    u.file_id = r.file_id
                    and u.line = r.line
                )
                and not exists (
                  select
                  from
                    decided_records d
                  where
                    d.file_id = r.file_id
                    and d.line = r.line
                    and d.matched_by = 'SHORT_ID'
                ) then $8::text
              end,
              case
                when r."connector_tx_id3" is not null
                and ($9, r."connector_tx_id3") in (
                  select
                    identifier,
                    value
                  from
                    crowded_values
                  where
                    identifier is not null
                )
                and exists (
                  select
                  from
                    undecided_records u
                  where
                    u.file_id = r.file_id
                    and u.line = r.line
                )
                and not exists (
                  select
                  from
                    decided_records d
                  where
                    d.file_id = r.file_id
                    and d.line = r.line
                    and d.matched_by = 'SHORT_ID'
                ) then $10::text
              end,
              case
                when (r.file_id, r.line) in (
                  select
                    file_id,
                    line
                  from
                    crowded_values
                  where
                    file_id is not null
                ) then 'account, amount and time'
              end
            ),
            ''
          ) || '.',
          ''
        ),
        case
          when (r.file_id, r.line) in (
            select
              file_id,
              line
            from
              crowded_families
          ) then ' Payments of the same family are not used, because too many of them fit equally well.'
          else ''
        end,
        case
          when (r.file_id, r.line) in (
            select
              a.file_id,
              a.line
            from
              applied_links a
            where
              a.kind = 'unlink'
          ) then (
            select
              format(
                ' It was unlinked from payment %s.',
                string_agg(
                  paid.id,
                  ', '
                  order by
                    paid.id collate "C"
                )
              )
            from
              applied_links a
              join payments paid on paid.key = a.payment_key
            where
              a.file_id = r.file_id
              and a.line = r.line
              and a.kind = 'unlink'
          )
          else ''
        end
      )::text
    where
      coalesce(
        m.status <> 'NOT_APPLICABLE'
        and m.status = 'NOT_MATCHED',
        false
      )
    union all
    select
      $11::text,
      $12::text,
      'one payment'::text,
      (
        case m.status
          when 'MATCHED' then 'one payment'
          when 'NOT_MATCHED' then 'none'
          else (
            select
              count(*)
            from
              match_candidates c
            where
              c.file_id = r.file_id
              and c.line = r.line
          ) || ' payments'
        end
      )::text,
      null::bigint,
      format(
        'This record of %s fits %s payments equally well and was matched to none of them: %s.%s',
        round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency,
        (
          select
            count(*)
          from
            match_candidates c
          where
            c.file_id = r.file_id
            and c.line = r.line
        ),
        (
          select
            array_to_string(
              (
                array_agg(
                  paid.id
                  order by
                    paid.id collate "C"
                )
              ) [1:10],
              ', '
            ) || case
              when count(*) > 10 then format(' and %s more', count(*) - 10)
              else ''
            end
          from
            match_candidates c
            join payments paid on paid.key = c.payment_key
          where
            c.file_id = r.file_id
            and c.line = r.line
        ),
        case
          when (r.file_id, r.line) in (
            select
              file_id,
              line
            from
              crowded_families
          ) then ' Payments of the same family are not used, because too many of them fit equally well.'
          else ''
        end
      )::text
    where
      coalesce(
        m.status <> 'NOT_APPLICABLE'
        and m.status = 'MULTIPLE_MATCHES',
        false
      )
    union all
    select
      $13::text,
      $14::text,
      (
        case
          when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
          when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
          when r.reconciliation_type <> 'SETTLED' then null
          when r.payment_type = 'DEBIT' then 'POS'
          when r.payment_type in ('CREDIT', 'REFUND') then 'NEG'
        end
      )::text,
      r.cashflow::text,
      null::bigint,
      format(
        'The file says that %s %s (%s), but a %s %s.',
        round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency,
        case r.cashflow
          when 'POS' then 'came in'
          else 'went out'
        end,
        r.cashflow,
        case
          when r.reconciliation_type = 'SETTLED' then 'settled ' || lower(r.payment_type)
          else lower(r.reconciliation_type)
        end,
        case (
            case
              when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
              when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
              when r.reconciliation_type <> 'SETTLED' then null
              when r.payment_type = 'DEBIT' then 'POS'
              when r.payment_type in ('CREDIT', 'REFUND') then 'NEG'
            end
          )
          when 'POS' then 'brings money in (POS)'
          else 'takes money out (NEG)'
        end
      )::text
    where
      coalesce(
        (
          case
            when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
            when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
            when r.reconciliation_type <> 'SETTLED' then null
            when r.payment_type = 'DEBIT' then 'POS'
            when r.payment_type in ('CREDIT', 'REFUND') then 'NEG'
          end
        ) is not null
        and r.cashflow <> (
          case
            when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
            when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
            when r.reconciliation_type <> 'SETTLED' then null
            when r.payment_type = 'DEBIT' then 'POS'
            when r.payment_type in ('CREDIT', 'REFUND') then 'NEG'
          end
        ),
        false
      )
    union all
    select
      $15::text,
      $16::text,
      'SUCCESS'::text,
      r.settlement_status::text,
      null::bigint,
      format(
        'The clearing institute reports that this settlement of %s failed: the money did not move.',
        round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency
      )::text
    where
      coalesce(
        true
        and (
          r.settlement_status = 'FAILED'
          and e.line is null
        ),
        false
      )
    union all
    select
      $17::text,
      $18::text,
      round((round(r.amount_minor::numeric * r.settlement_fx_rate_hundredths / 100))::numeric / 100, 2)::text::text,
      round((r.settlement_amount_minor)::numeric / 100, 2)::text::text,
      (
        case
          when abs(
            (r.settlement_amount_minor - round(r.amount_minor::numeric * r.settlement_fx_rate_hundredths / 100))
          ) < 9000000000000000000 then (r.settlement_amount_minor - round(r.amount_minor::numeric * r.settlement_fx_rate_hundredths / 100))
        end
      )::bigint,
      format(
        '%s %s at the rate %s is %s %s, but %s %s %s%s.',
        round((r.amount_minor)::numeric / 100, 2)::text,
        r.currency,
        round((r.settlement_fx_rate_hundredths)::numeric / 100, 2)::text,
        round((round(r.amount_minor::numeric * r.settlement_fx_rate_hundredths / 100))::numeric / 100, 2)::text,
        r.settlement_currency,
        round((r.settlement_amount_minor)::numeric / 100, 2)::text,
        r.settlement_currency,
        case r.settlement_status
          when 'FAILED' then 'was to be settled'
          else 'was settled'
        end,
        case
          when r.settlement_fee_minor is null then ''
          else ', and the fee of ' || round((r.settlement_fee_minor)::numeric / 100, 2)::text || ' ' || r.settlement_currency || ' does not explain it'
        end
      )::text
    where
      coalesce(
        r.reconciliation_type <> 'FEE'
        and (
          case
            when r.settlement_fx_rate_hundredths = 100
            and r.amount_minor = r.settlement_amount_minor then false
            when r.settlement_fx_rate_hundredths <= 9000000 then (
              least(
                abs(r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint),
                abs(
                  abs(r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint) - 100 * coalesce(r.settlement_fee_minor, 0)::bigint
                )
              ) > 100 + case
                when r.currency = r.settlement_currency then 0
                else r.amount_minor / 2
              end
            )
            else (
              least(
                abs(
                  r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
                ),
                abs(
                  abs(
                    r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
                  ) - 100 * coalesce(r.settlement_fee_minor, 0)::numeric
                )
              ) > 100 + case
                when r.currency = r.settlement_currency then 0
                else r.amount_minor / 2
              end
            )
          end
        ),
        false
      )
    union all
    select
      $19::text,
      $20::text,
      'a reason code'::text,
      coalesce(nullif(r.reason_code, ''), 'none')::text,
      null::bigint,
      format(
        'This chargeback of %s names no reason code.',
        round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency
      )::text
    where
      coalesce(
        r.reconciliation_type = 'CHARGEBACK'
        and coalesce(r.reason_code, '') = '',
        false
      )
    union all
    select
      $21::text,
      $22::text,
      'an open chargeback'::text,
      coalesce(
        (
          select
            l.chargeback_id
          from
            chargeback_links l
            join chargeback_links taken on taken.chargeback_id = l.chargeback_id
            and taken.kind = 'CHARGEBACK'
            and taken.active
          where
            l.file_id = r.file_id
            and l.line = r.line
            and l.active
        ),
        'none'
      )::text,
      null::bigint,
      format(
        '%s of a chargeback was returned, but ' || case
          when exists (
            select
            from
              chargeback_links c
            where
              c.payment_key = m.payment_key
              and c.kind = 'CHARGEBACK'
              and c.active
          ) then 'no chargeback of payment %s has that much left.'
          else 'payment %s has no open chargeback.'
        end,
        round((r.amount_minor)::numeric / 100, 2)::text || ' ' || r.currency,
        p.id
      )::text
    where
      coalesce(
        (
          r.reconciliation_type = 'CHARGEBACK REVERSAL'
          and m.status = 'MATCHED'
          and r.settlement_status = 'SUCCESS'
        )
        and (
          not exists (
            select
              l.chargeback_id
            from
              chargeback_links l
              join chargeback_links taken on taken.chargeback_id = l.chargeback_id
              and taken.kind = 'CHARGEBACK'
              and taken.active
            where
              l.file_id = r.file_id
              and l.line = r.line
              and l.active
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
        ),
        false
      )
    union all
    select
      $23::text,
      $24::text,
      p.currency::text,
      r.currency::text,
      null::bigint,
      format(
        '%s %s %s for payment %s, which is for %s %s.',
        round((r.amount_minor)::numeric / 100, 2)::text,
        r.currency,
        case r.settlement_status
          when 'FAILED' then 'was to be settled'
          else 'was settled'
        end,
        p.id,
        round((p.amount_minor)::numeric / 100, 2)::text,
        p.currency
      )::text
    where
      coalesce(
        (
          r.reconciliation_type = 'SETTLED'
          and p.key is not null
        )
        and p.currency <> r.currency,
        false
      )
    union all
    select
      $25::text,
      $26::text,
      array_to_string(
        (
          case
            when r.reconciliation_type in ($27, $28)
            and true then string_to_array($29, ',')
            when r.reconciliation_type in ($30)
            and r.payment_type = $31 then string_to_array($32, ',')
            when r.reconciliation_type in ($33)
            and r.payment_type = $34 then string_to_array($35, ',')
            when r.reconciliation_type in ($36)
            and r.payment_type = $37 then string_to_array($38, ',')
            when true
            and r.payment_type = $39 then string_to_array($40, ',')
            when true
            and r.payment_type = $41 then string_to_array($42, ',')
            when true
            and r.payment_type = $43 then string_to_array($44, ',')
            when true
            and r.payment_type = $45 then string_to_array($46, ',')
            else string_to_array($47, ',')
          end
        ),
        ' or '
      )::text,
      p.payment_type::text,
      null::bigint,
      format(
        'The record is a %s %s and names payment %s, which is of type %s; %s would fit.%s',
        r.reconciliation_type,
        r.payment_type,
        p.id,
        p.payment_type,
        array_to_string(
          (
            case
              when r.reconciliation_type in ($48, $49)
              and true then string_to_array($50, ',')
              when r.reconciliation_type in ($51)
              and r.payment_type = $52 then string_to_array($53, ',')
              when r.reconciliation_type in ($54)
              and r.payment_type = $55 then string_to_array($56, ',')
              when r.reconciliation_type in ($57)
              and r.payment_type = $58 then string_to_array($59, ',')
              when true
              and r.payment_type = $60 then string_to_array($61, ',')
              when true
              and r.payment_type = $62 then string_to_array($63, ',')
              when true
              and r.payment_type = $64 then string_to_array($65, ',')
              when true
              and r.payment_type = $66 then string_to_array($67, ',')
              else string_to_array($68, ',')
            end
          ),
          ' or '
        ),
        case
          when (r.file_id, r.line) in (
            select
              file_id,
              line
            from
              crowded_families
          ) then ' Payments of the same family are not used, because too many of them fit equally well.'
          else ''
        end
      )::text
    where
      coalesce(
        p.key is not null
        and not coalesce(
          p.payment_type = any (
            (
              case
                when r.reconciliation_type in ($69, $70)
                and true then string_to_array($71, ',')
                when r.reconciliation_type in ($72)
                and r.payment_type = $73 then string_to_array($74, ',')
                when r.reconciliation_type in ($75)
                and r.payment_type = $76 then string_to_array($77, ',')
                when r.reconciliation_type in ($78)
                and r.payment_type = $79 then string_to_array($80, ',')
                when true
                and r.payment_type = $81 then string_to_array($82, ',')
                when true
                and r.payment_type = $83 then string_to_array($84, ',')
                when true
                and r.payment_type = $85 then string_to_array($86, ',')
                when true
                and r.payment_type = $87 then string_to_array($88, ',')
                else string_to_array($89, ',')
              end
            )
          ),
          false
        ),
        false
      )
    union all
    select
      $90::text,
      $91::text,
      'SUCCESS'::text,
      p.outcome::text,
      null::bigint,
      format(
        '%s %s %s for payment %s, which %s (result code %s).',
        round((r.amount_minor)::numeric / 100, 2)::text,
        r.currency,
        case r.settlement_status
          when 'FAILED' then 'was to be settled'
          else 'was settled'
        end,
        p.id,
        case p.outcome
          when 'PENDING' then 'is still pending'
          else 'failed'
        end,
        p.result_code
      )::text
    where
      coalesce(
        (
          r.reconciliation_type = 'SETTLED'
          and p.key is not null
        )
        and p.outcome <> 'SUCCESS',
        false
      )
    union all
    select
      $92::text,
      $93::text,
      'not reversed'::text,
      (
        case
          when v.payment_key is null then 'not reversed'
          else 'reversed in full'
        end
      )::text,
      null::bigint,
      format(
        '%s %s %s for payment %s, which was reversed in full.',
        round((r.amount_minor)::numeric / 100, 2)::text,
        r.currency,
        case r.settlement_status
          when 'FAILED' then 'was to be settled'
          else 'was settled'
        end,
        p.id
      )::text
    where
      coalesce(
        (
          r.reconciliation_type = 'SETTLED'
          and p.key is not null
        )
        and v.payment_key is not null,
        false
      )
    union all
    select
      $94::text,
      $95::text,
      p.entity_id::text,
      r.merchant_account_id::text,
      null::bigint,
      format(
        'Payment %s was made on merchant account %s, but the record books it on %s.',
        p.id,
        p.entity_id,
        r.merchant_account_id
      )::text
    where
      coalesce(
        p.entity_id <> ''
        and p.entity_id <> r.merchant_account_id,
        false
      )
    union all
    select
      $96::text,
      $97::text,
      p.account_number_last4::text,
      r.account_number_last4::text,
      null::bigint,
      format(
        'Payment %s was made with an account ending in %s, but the record names one ending in %s.',
        p.id,
        p.account_number_last4,
        r.account_number_last4
      )::text
    where
      coalesce(
        (
          p.account_number_last4 <> ''
          and r.account_number_last4 <> ''
        )
        and p.account_number_last4 <> r.account_number_last4,
        false
      )
    union all
    select
      $98::text,
      $99::text,
      p.payment_brand::text,
      r.brand::text,
      null::bigint,
      format('Payment %s was made with %s, but the record names %s.', p.id, p.payment_brand, r.brand)::text
    where
      coalesce(
        (
          p.payment_brand <> ''
          and r.brand <> ''
        )
        and p.payment_brand <> r.brand,
        false
      )
    union all
    select
      $100::text,
      $101::text,
      coalesce(
        nullif(
          concat_ws(
            ' ',
            nullif(
              (
                case
                  when m.status = 'NOT_APPLICABLE' then ''
                  else m.status::text
                end
              ),
              ''
            ),
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
            )
          ),
          ''
        ),
        'nothing'
      )::text,
      concat_ws(
        ' ',
        nullif(r.claimed_matching_status, ''),
        (
          select
            string_agg(
              distinct claimed,
              ','
              order by
                claimed
            )
          from
            regexp_split_to_table(r.claimed_matched_transactions, '[,[:space:]]+') claimed
          where
            claimed <> ''
        )
      )::text,
      null::bigint,
      format(
        'The file itself claims %s; our own result, which counts, is %s.',
        concat_ws(
          ' ',
          nullif(r.claimed_matching_status, ''),
          (
            select
              string_agg(
                distinct claimed,
                ','
                order by
                  claimed
              )
            from
              regexp_split_to_table(r.claimed_matched_transactions, '[,[:space:]]+') claimed
            where
              claimed <> ''
          )
        ),
        coalesce(
          nullif(
            concat_ws(
              ' ',
              nullif(
                (
                  case
                    when m.status = 'NOT_APPLICABLE' then ''
                    else m.status::text
                  end
                ),
                ''
              ),
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
              )
            ),
            ''
          ),
          'nothing'
        )
      )::text
    where
      coalesce(
        concat(r.claimed_matching_status, r.claimed_matched_transactions) <> ''
        and (
          (
            r.claimed_matching_status <> ''
            and r.claimed_matching_status <> (
              case
                when m.status = 'NOT_APPLICABLE' then ''
                else m.status::text
              end
            )
          )
          or (
            case
              when (coalesce(r.claimed_matched_transactions, '') in ('', p.id)) then false
              else coalesce(
                (
                  select
                    string_agg(
                      distinct claimed,
                      ','
                      order by
                        claimed
                    )
                  from
                    regexp_split_to_table(r.claimed_matched_transactions, '[,[:space:]]+') claimed
                  where
                    claimed <> ''
                ),
                ''
              ) <> coalesce(
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
                ),
                ''
              )
            end
          )
        ),
        false
      )
  ) f (code, severity, expected, actual, difference_minor, message)
where
  (
    m.matched_by is null
    or m.matched_by = 'UNIQUE_ID'
    or /* NOT_MATCHED */ coalesce(
      m.status <> 'NOT_APPLICABLE'
      and m.status = 'NOT_MATCHED',
      false
    )
    or /* MULTIPLE_MATCHES */ coalesce(
      m.status <> 'NOT_APPLICABLE'
      and m.status = 'MULTIPLE_MATCHES',
      false
    )
    or /* CASHFLOW_MISMATCH */ coalesce(
      (
        case
          when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
          when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
          when r.reconciliation_type <> 'SETTLED' then null
          when r.payment_type = 'DEBIT' then 'POS'
          when r.payment_type in ('CREDIT', 'REFUND') then 'NEG'
        end
      ) is not null
      and r.cashflow <> (
        case
          when r.reconciliation_type = 'CHARGEBACK REVERSAL' then 'POS'
          when r.reconciliation_type = 'CHARGEBACK' then 'NEG'
          when r.reconciliation_type <> 'SETTLED' then null
          when r.payment_type = 'DEBIT' then 'POS'
          when r.payment_type in ('CREDIT', 'REFUND') then 'NEG'
        end
      ),
      false
    )
    or /* SETTLEMENT_FAILED */ coalesce(
      true
      and r.settlement_status = 'FAILED',
      false
    )
    or /* FX_MISMATCH */ coalesce(
      r.reconciliation_type <> 'FEE'
      and (
        case
          when r.settlement_fx_rate_hundredths = 100
          and r.amount_minor = r.settlement_amount_minor then false
          when r.settlement_fx_rate_hundredths <= 9000000 then (
            least(
              abs(r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint),
              abs(
                abs(r.amount_minor::bigint * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::bigint) - 100 * coalesce(r.settlement_fee_minor, 0)::bigint
              )
            ) > 100 + case
              when r.currency = r.settlement_currency then 0
              else r.amount_minor / 2
            end
          )
          else (
            least(
              abs(
                r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
              ),
              abs(
                abs(
                  r.amount_minor::numeric * r.settlement_fx_rate_hundredths - 100 * r.settlement_amount_minor::numeric
                ) - 100 * coalesce(r.settlement_fee_minor, 0)::numeric
              )
            ) > 100 + case
              when r.currency = r.settlement_currency then 0
              else r.amount_minor / 2
            end
          )
        end
      ),
      false
    )
    or /* CHARGEBACK_WITHOUT_REASON */ coalesce(
      r.reconciliation_type = 'CHARGEBACK'
      and coalesce(r.reason_code, '') = '',
      false
    )
    or /* REVERSAL_WITHOUT_CHARGEBACK */ coalesce(
      (
        r.reconciliation_type = 'CHARGEBACK REVERSAL'
        and m.status = 'MATCHED'
        and r.settlement_status = 'SUCCESS'
      )
      and true,
      false
    )
    or /* CURRENCY_MISMATCH */ coalesce(
      (
        r.reconciliation_type = 'SETTLED'
        and p.key is not null
      )
      and p.currency <> r.currency,
      false
    )
    or /* TYPE_MISMATCH */ coalesce(
      p.key is not null
      and not coalesce(
        p.payment_type = any (
          (
            case
              when r.reconciliation_type in ($102, $103)
              and true then string_to_array($104, ',')
              when r.reconciliation_type in ($105)
              and r.payment_type = $106 then string_to_array($107, ',')
              when r.reconciliation_type in ($108)
              and r.payment_type = $109 then string_to_array($110, ',')
              when r.reconciliation_type in ($111)
              and r.payment_type = $112 then string_to_array($113, ',')
              when true
              and r.payment_type = $114 then string_to_array($115, ',')
              when true
              and r.payment_type = $116 then string_to_array($117, ',')
              when true
              and r.payment_type = $118 then string_to_array($119, ',')
              when true
              and r.payment_type = $120 then string_to_array($121, ',')
              else string_to_array($122, ',')
            end
          )
        ),
        false
      ),
      false
    )
    or /* PAYMENT_NOT_SUCCESSFUL */ coalesce(
      (
        r.reconciliation_type = 'SETTLED'
        and p.key is not null
      )
      and p.outcome <> 'SUCCESS',
      false
    )
    or /* PAYMENT_REVERSED */ coalesce(
      (
        r.reconciliation_type = 'SETTLED'
        and p.key is not null
      )
      and v.payment_key is not null,
      false
    )
    or /* MERCHANT_ACCOUNT_MISMATCH */ coalesce(
      p.entity_id <> ''
      and p.entity_id <> r.merchant_account_id,
      false
    )
    or /* ACCOUNT_MISMATCH */ coalesce(
      (
        p.account_number_last4 <> ''
        and r.account_number_last4 <> ''
      )
      and p.account_number_last4 <> r.account_number_last4,
      false
    )
    or /* BRAND_MISMATCH */ coalesce(
      (
        p.payment_brand <> ''
        and r.brand <> ''
      )
      and p.payment_brand <> r.brand,
      false
    )
    or /* CLAIM_DIFFERS */ coalesce(
      concat(r.claimed_matching_status, r.claimed_matched_transactions) <> ''
      and (
        (
          r.claimed_matching_status <> ''
          and r.claimed_matching_status <> (
            case
              when m.status = 'NOT_APPLICABLE' then ''
              else m.status::text
            end
          )
        )
        or not coalesce((coalesce(r.claimed_matched_transactions, '') in ('', p.id)), false)
      ),
      false
    )
  );
