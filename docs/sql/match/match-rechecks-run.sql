-- Matches these records as the fast path does.
insert into
  new_matches
select
  r.file_id,
  r.line,
  r.reconciliation_type,
  l.file_id is not null as pinned,
  case
    when l.file_id is null then m.status
    else 'MATCHED'
  end as status,
  case
    when l.file_id is null then m.matched_by
    else o.matched_by
  end as matched_by,
  case
    when l.file_id is not null then o.matched_through
  end as matched_through,
  case
    when l.file_id is null then m.payment_key
    else l.payment_key
  end as payment_key,
  o.file_id is null as is_new,
  o.status as former_status,
  o.matched_by as former_matched_by,
  o.matched_through as former_matched_through,
  o.payment_key as former_payment_key,
  (
    l.file_id is not null
    or r.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
    or coalesce(
      r.reconciliation_type = 'SETTLED'
      and p.amount_minor <> r.amount_minor,
      false
    )
    or coalesce(
      (
        p.id in (
          select
            rv.referenced_payment_id
          from
            payments rv
          where
            rv.payment_type = 'RV'
            and rv.outcome = 'SUCCESS'
            and rv.referenced_payment_id is not null
        )
      ),
      false
    )
    or coalesce(
      m.status = 'NOT_APPLICABLE'
      and (
        r.settlement_tx_id <> ''
        and concat(r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> ''
      ),
      false
    )
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
  ) as needs_review,
  case
    when l.file_id is null then p.payment_type
  end as found_type,
  case
    when (
      r.reconciliation_type = 'SETTLED'
      and r.settlement_status = 'SUCCESS'
      and r.currency = p.currency
      and r.amount_minor = p.amount_minor
      and coalesce(
        p.payment_type = any (
          (
            case
              when r.reconciliation_type in ($22, $23)
              and true then string_to_array($24, ',')
              when r.reconciliation_type in ($25)
              and r.payment_type = $26 then string_to_array($27, ',')
              when r.reconciliation_type in ($28)
              and r.payment_type = $29 then string_to_array($30, ',')
              when r.reconciliation_type in ($31)
              and r.payment_type = $32 then string_to_array($33, ',')
              when true
              and r.payment_type = $34 then string_to_array($35, ',')
              when true
              and r.payment_type = $36 then string_to_array($37, ',')
              when true
              and r.payment_type = $38 then string_to_array($39, ',')
              when true
              and r.payment_type = $40 then string_to_array($41, ',')
              else string_to_array($42, ',')
            end
          )
        ),
        false
      )
    ) then p.key
  end as settled_key
from
  (
    select
      r.*
    from
      (
        select
          c.file_id,
          c.line
        from
          run_rechecks c
        where
          c.run_id = $43
          and c.file_id <> all (string_to_array($44, ',')::integer[])
      ) c
      cross join lateral (
        select
          r.*
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($45, ',')::integer[])
          and r.file_id = c.file_id
          and r.line = c.line
        limit
          1
      ) r
  ) r
  left join record_matches o on o.file_id = r.file_id
  and o.line = r.line
  left join chargeback_links l on l.file_id = r.file_id
  and l.line = r.line
  and (r.file_id, r.line) not in (
    select
      file_id,
      line
    from
      redecided_records
  )
  left join payments p on (
    p.id = r.unique_id
    and r.unique_id <> ''
    and p.payment_type in ($46, $47, $48, $49, $50, $51)
  )
  and (
    r.reconciliation_type <> 'FEE'
    or (
      r.payment_type in ($52, $53, $54, $55)
      and concat(r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> ''
    )
  )
  cross join lateral (
    select
      r.file_id,
      r.line,
      p.key as payment_key,
      (
        case
          when p.key is not null then 'UNIQUE_ID'
        end
      )::matched_by as matched_by,
      (
        case
          when p.key is not null then 'MATCHED'
          when (
            r.reconciliation_type <> 'FEE'
            or (
              r.payment_type in ($56, $57, $58, $59)
              and concat(r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> ''
            )
          ) then 'NOT_MATCHED'
          else 'NOT_APPLICABLE'
        end
      )::matching_status as status
  ) m
  cross join lateral (
    select
      null::bigint as payment_key
  ) v;
