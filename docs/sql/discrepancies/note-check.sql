-- Notes up to where this run has looked for payments without a settlement.
insert into
  settlement_checks (run_id, as_of, settings, last_payment_key, last_change, oldest_transaction, own_transaction)
select
  $1,
  $2,
  $3,
  (
    select
      coalesce(max(key), 0)
    from
      payments
  ),
  (
    select
      coalesce(max(id), 0)
    from
      payment_changes
  ),
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
  pg_current_xact_id()::text::bigint;
