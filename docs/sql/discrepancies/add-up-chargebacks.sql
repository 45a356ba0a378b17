-- Adds up chargebacks less reversals: CHARGEBACK_EXCEEDS_PAYMENT.
insert into
  found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
select
  left(encode(sha256(convert_to('CHARGEBACK_EXCEEDS_PAYMENT' || ':' || r.payment_id, 'UTF8')), 'hex'), 32),
  'CHARGEBACK_EXCEEDS_PAYMENT',
  $1,
  r.file_id,
  r.line,
  r.payment_key,
  round((r.payment_amount)::numeric / 100, 2)::text,
  round((r.net)::numeric / 100, 2)::text,
  r.net - r.payment_amount,
  format(
    'Payment %s is for %s %s, but chargebacks less their reversals come to %s %s: %s %s too much.',
    r.payment_id,
    round((r.payment_amount)::numeric / 100, 2)::text,
    r.currency,
    round((r.net)::numeric / 100, 2)::text,
    r.currency,
    round((r.net - r.payment_amount)::numeric / 100, 2)::text,
    r.currency
  )
from
  (
    select
      r.*,
      (
        coalesce(
          sum(r.amount_minor) filter (
            where
              r.settlement_status = 'SUCCESS'
          ) over of_payment,
          0
        ) - coalesce(sum(r.returned_minor) over of_payment, 0)
      )::bigint as net,
      lead(r.line) over (
        of_payment
        order by
          r.settlement_status = 'SUCCESS',
          r.settlement_date,
          coalesce(r.settlement_tx_id, ''),
          r.fingerprint,
          r.occurrence
      ) is null as last
    from
      (
        select
          p.key as payment_key,
          p.id as payment_id,
          p.amount_minor as payment_amount,
          p.currency,
          r.file_id,
          r.line,
          r.amount_minor,
          r.settlement_status,
          r.settlement_date,
          r.settlement_tx_id,
          r.fingerprint,
          r.occurrence,
          case
            when bool_or(back.currency <> p.currency) then case r.settlement_status
              when 'SUCCESS' then r.amount_minor
              else 0
            end
            else sum(back.amount_minor)
          end as returned_minor
        from
          chargeback_links l
          join payments p on p.key = l.payment_key
          join settlement_records r on r.file_id = l.file_id
          and r.line = l.line
          and r.currency = p.currency
          left join chargeback_links reversal on reversal.chargeback_id = l.chargeback_id
          and reversal.kind = 'CHARGEBACK REVERSAL'
          and reversal.active
          left join settlement_records back on back.file_id = reversal.file_id
          and back.line = reversal.line
          and back.settlement_status = 'SUCCESS'
        where
          l.kind = 'CHARGEBACK'
          and l.active
          and coalesce(
            p.payment_type = any (
              (
                case
                  when r.reconciliation_type in ($2, $3)
                  and true then string_to_array($4, ',')
                  when r.reconciliation_type in ($5)
                  and r.payment_type = $6 then string_to_array($7, ',')
                  when r.reconciliation_type in ($8)
                  and r.payment_type = $9 then string_to_array($10, ',')
                  when r.reconciliation_type in ($11)
                  and r.payment_type = $12 then string_to_array($13, ',')
                  when true
                  and r.payment_type = $14 then string_to_array($15, ',')
                  when true
                  and r.payment_type = $16 then string_to_array($17, ',')
                  when true
                  and r.payment_type = $18 then string_to_array($19, ',')
                  when true
                  and r.payment_type = $20 then string_to_array($21, ',')
                  else string_to_array($22, ',')
                end
              )
            ),
            false
          )
          and l.payment_key in (
            select
              payment_key
            from
              review_payments
          )
        group by
          p.key,
          p.id,
          p.amount_minor,
          p.currency,
          r.file_id,
          r.line,
          r.amount_minor,
          r.settlement_status,
          r.settlement_date,
          r.settlement_tx_id,
          r.fingerprint,
          r.occurrence
      ) r
    window
      of_payment as (
        partition by
          r.payment_key
      )
  ) r
where
  r.last
  and r.net > r.payment_amount;
