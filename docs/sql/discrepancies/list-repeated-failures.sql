-- Lists the failed settlements that later records made good: they are not SETTLEMENT_FAILED any more.
insert into
  repeated_failures
select
  f.file_id,
  f.line
from
  (
    select
      r.file_id,
      r.line,
      r.settlement_status,
      p.amount_minor as payment_amount,
      sum(r.amount_minor) filter (
        where
          r.settlement_status = 'SUCCESS'
          and r.currency = p.currency
      ) over (
        partition by
          p.key
        order by
          r.settlement_date,
          coalesce(r.settlement_tx_id, ''),
          r.fingerprint,
          r.occurrence rows between 1 following
          and unbounded following
      ) as settled_later
    from
      (
        select
          r.*
        from
          summed_records r
        where
          r.reconciliation_type = 'SETTLED'
          and r.payment_key in (
            select
              payment_key
            from
              failed_records
          )
        offset
          0
      ) r
      join payments p on p.key = r.payment_key
    where
      coalesce(
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
  ) f
where
  f.settlement_status = 'FAILED'
  and f.settled_later >= f.payment_amount;
