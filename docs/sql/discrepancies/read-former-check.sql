-- Returns up to where former runs looked for payments without a settlement.
select
  last.as_of::text as "asOf",
  earlier.last_payment_key::text as "paymentKey",
  earlier.last_change::text as change
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
  or earlier.own_transaction = pg_current_xact_id()::text::bigint
where
  last.as_of <= $1
  and last.settings = $2
order by
  earlier.run_id desc
limit
  1;
