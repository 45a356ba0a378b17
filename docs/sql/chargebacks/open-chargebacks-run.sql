-- Reads the chargebacks that are not linked to a reversal yet, and those that were returned in part.
select
  r.chargeback_id as "chargebackId",
  r.payment_key as "paymentKey",
  r.currency,
  r.left_minor::bigint as "leftMinor",
  r.has_reversal as "hasReversal",
  r.settlement_status = 'FAILED' as "hasFailed",
  r.counts
from
  (
    select
      l.chargeback_id,
      l.payment_key,
      r.currency,
      r.settlement_status,
      r.settlement_date,
      r.settlement_tx_id,
      r.fingerprint,
      r.occurrence,
      r.amount_minor - coalesce(hand.minor, 0) as left_minor,
      hand.minor is not null as has_reversal,
      true as counts
    from
      unnest(string_to_array($1, ',')::bigint[]) as wanted (payment_key)
      join chargeback_links l on l.payment_key = wanted.payment_key
      and l.kind = 'CHARGEBACK'
      and l.active
      join settlement_records r on r.file_id = l.file_id
      and r.line = l.line
      cross join lateral (
        select
          sum(b.amount_minor) as minor
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
      ) hand
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
      and (hand.minor >= r.amount_minor) is not true
    union all
    select
      l.chargeback_id,
      l.payment_key,
      r.currency,
      r.settlement_status,
      r.settlement_date,
      r.settlement_tx_id,
      r.fingerprint,
      r.occurrence,
      r.amount_minor - coalesce(hand.minor, 0) - returned.amount_minor,
      true,
      true
    from
      (
        select
          reversal.chargeback_id,
          sum(back.amount_minor) as amount_minor,
          min(back.currency) as currency,
          max(back.currency) as other_currency
        from
          unnest(string_to_array($3, ',')::bigint[]) as wanted (payment_key)
          join chargeback_links reversal on reversal.payment_key = wanted.payment_key
          and reversal.kind = 'CHARGEBACK REVERSAL'
          and reversal.active
          join settlement_records back on back.file_id = reversal.file_id
          and back.line = reversal.line
          and back.settlement_status = 'SUCCESS'
        group by
          reversal.chargeback_id
      ) returned
      cross join lateral (
        select
          l.*
        from
          chargeback_links l
        where
          l.chargeback_id = returned.chargeback_id
          and l.kind = 'CHARGEBACK'
          and l.active
        offset
          0
      ) l
      join settlement_records r on r.file_id = l.file_id
      and r.line = l.line
      cross join lateral (
        select
          sum(b.amount_minor) as minor
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
              and d.connector = $4
          )
      ) hand
    where
      returned.currency = r.currency
      and returned.other_currency = r.currency
      and returned.amount_minor + coalesce(hand.minor, 0) < r.amount_minor
  ) r
order by
  r.settlement_status = 'FAILED',
  r.settlement_date,
  coalesce(r.settlement_tx_id, ''),
  r.fingerprint,
  r.occurrence;
