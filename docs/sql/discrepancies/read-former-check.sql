-- Returns up to where former runs looked for payments without a settlement.
select
  last.as_of::text as "asOf",
  last.settings,
  last.last_payment_key::text as "highestKey",
  (
    select
      greatest(max(r.as_of), last.as_of)
    from
      runs r
    where
      r.finished_at is not null
  )::text as "latestAsOf",
  earlier.last_payment_key::text as "paymentKey",
  earlier.last_change::text as change,
  case
    when last.own_transaction < pg_current_xact_id()::text::bigint then last.oldest_transaction
    else 0
  end::text as "oldestTransaction",
  last.oldest_transaction = last.own_transaction as "sawAllToHighest"
from
  (
    select
      *
    from
      settlement_checks
    order by
      run_id desc
    limit
      1
  ) last
  join settlement_checks earlier on earlier.own_transaction < last.oldest_transaction
order by
  earlier.run_id = last.run_id,
  earlier.run_id desc
limit
  1;
