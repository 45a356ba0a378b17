-- Reads the chargebacks that are not linked to a reversal yet.
select
  l.chargeback_id as "chargebackId",
  l.payment_key as "paymentKey",
  r.amount_minor as "amountMinor",
  r.currency
from
  unnest(string_to_array($1, ',')::bigint[]) as wanted (payment_key)
  join chargeback_links l on l.payment_key = wanted.payment_key
  and l.kind = 'CHARGEBACK'
  and l.active
  join settlement_records r on r.file_id = l.file_id
  and r.line = l.line
where
  not exists (
    select
    from
      chargeback_links reversal
    where
      reversal.chargeback_id = l.chargeback_id
      and reversal.kind = 'CHARGEBACK REVERSAL'
      and reversal.active
    offset
      0
  )
  and (
    (
      select
        sum(b.amount_minor)
      from
        core_reversals b
      where
        b.booked_on = l.chargeback_id
        and exists (
          select
          from
            payment_details d
          where
            d.payment_key = b.key
            and d.connector = $2
        )
    ) >= r.amount_minor
  ) is not true
order by
  r.settlement_status = 'FAILED',
  r.settlement_date,
  coalesce(r.settlement_tx_id, ''),
  r.fingerprint,
  r.occurrence;
