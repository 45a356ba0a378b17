-- Adds up the open discrepancies in scope by code and currency, for the summary.
select
  t.code,
  t.currency,
  count(*)::int as count,
  sum(abs(t.amount_minor))::text as amount_minor,
  count(*) filter (
    where
      t.within_tolerance
  )::int as within_count,
  (
    sum(abs(t.amount_minor)) filter (
      where
        t.within_tolerance
    )
  )::text as within_minor
from
  (
    select
      d.code,
      d.code = 'AMOUNT_MISMATCH'
      and d.severity = 'info' as within_tolerance,
      coalesce(
        (
          case
            when d.difference_minor is null then null
            else (
              case
                when d.code = $1 then r.settlement_currency
                when d.code = $2 then r.currency
                else coalesce(p.currency, r.currency)
              end
            )
          end
        ),
        r.currency,
        p.currency
      ) as currency,
      coalesce(d.difference_minor, r.amount_minor, p.amount_minor) as amount_minor
    from
      (
        select
          d.id
        from
          (
            select
              d.*
            from
              discrepancies d
              cross join lateral (
                select
                  r.settlement_date
                from
                  settlement_records r
                where
                  r.file_id = d.file_id
                  and r.line = d.line
                offset
                  0
              ) r
            where
              d.resolved_run is null
              and d.file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.status = 'loaded'
                    and f.first_settlement_date <= $3
                    and f.last_settlement_date >= $4
                )
              )
              and r.settlement_date between $5 and $6
          ) d
        union
        select
          d.id
        from
          discrepancies d
          cross join lateral (
            select
              p.requested_at
            from
              payments p
            where
              p.key = d.payment_key
            offset
              0
          ) p
        where
          d.resolved_run is null
          and d.file_id is null
          and (
            p.requested_at >= (($7::date - $8::int)::timestamp at time zone $9)
            and p.requested_at < ((least($10::date - $11::int, ($12::date - $13::int)) + 1)::timestamp at time zone $14)
          )
        union
        select
          d.id
        from
          discrepancies d
          join record_matches own on own.file_id = d.file_id
          and own.line = d.line
          join record_matches m on m.payment_key = own.payment_key
          cross join lateral (
            select
              r.file_id,
              r.line,
              r.reconciliation_type,
              r.settlement_date
            from
              settlement_records r
            where
              r.file_id = m.file_id
              and r.line = m.line
            offset
              0
          ) r
        where
          d.resolved_run is null
          and d.code in ($15, $16, $17)
          and r.reconciliation_type in ($18)
          and r.settlement_date between $19 and $20
        union
        select
          d.id
        from
          discrepancies d
          join record_matches own on own.file_id = d.file_id
          and own.line = d.line
          join record_matches m on m.payment_key = own.payment_key
          cross join lateral (
            select
              r.file_id,
              r.line,
              r.reconciliation_type,
              r.settlement_date
            from
              settlement_records r
            where
              r.file_id = m.file_id
              and r.line = m.line
            offset
              0
          ) r
        where
          d.resolved_run is null
          and d.code in ($21)
          and r.reconciliation_type in ($22, $23)
          and r.settlement_date between $24 and $25
      ) s
      join discrepancies d on d.id = s.id
      left join settlement_records r on r.file_id = d.file_id
      and r.line = d.line
      left join payments p on p.key = d.payment_key
  ) t
group by
  1,
  2;
