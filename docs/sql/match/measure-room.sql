-- Adds them up: which of these payments still have room.
insert into
  rooms
select
  p.key,
  coalesce(t.settled < p.amount_minor, true)
from
  room_payments s
  join payments p on p.key = s.payment_key
  left join (
    select
      t.payment_key,
      sum(t.amount_minor) as settled
    from
      (
        select
          t.payment_key,
          r.amount_minor,
          r.fingerprint,
          r.occurrence,
          r.file_id,
          r.line,
          false as is_removed
        from
          room_takers t
          join payments p on p.key = t.payment_key
          join settlement_records r on r.file_id = t.file_id
          and r.line = t.line
        where
          (
            r.reconciliation_type = 'SETTLED'
            and r.settlement_status = 'SUCCESS'
            and r.currency = p.currency
            and coalesce(
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
          )
      ) t
    group by
      t.payment_key
  ) t on t.payment_key = s.payment_key;
