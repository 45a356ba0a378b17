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
          d.*
        from
          discrepancies d
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
                and f.first_settlement_date >= $5
                and f.last_settlement_date <= $6
            )
          )
        union all
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
                and f.first_settlement_date <= $7
                and f.last_settlement_date >= $8
                and not (
                  f.first_settlement_date >= $9
                  and f.last_settlement_date <= $10
                )
            )
          )
          and r.settlement_date between $11 and $12
        union all
        select
          d.*
        from
          discrepancies d
        where
          d.resolved_run is null
          and d.file_id is null
        union all
        select
          d.*
        from
          discrepancies d
        where
          d.id in (
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
              and d.code in ($13, $14, $15)
              and not (
                d.file_id = any (
                  array(
                    select
                      f.id
                    from
                      settlement_files f
                    where
                      f.status = 'loaded'
                      and f.first_settlement_date <= $16
                      and f.last_settlement_date >= $17
                  )
                )
                and exists (
                  select
                  from
                    settlement_records r
                  where
                    r.file_id = d.file_id
                    and r.line = d.line
                    and r.settlement_date between $18 and $19
                )
              )
              and r.reconciliation_type in ($20)
              and r.settlement_date between $21 and $22
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
              and d.code in ($23)
              and not (
                d.file_id = any (
                  array(
                    select
                      f.id
                    from
                      settlement_files f
                    where
                      f.status = 'loaded'
                      and f.first_settlement_date <= $24
                      and f.last_settlement_date >= $25
                  )
                )
                and exists (
                  select
                  from
                    settlement_records r
                  where
                    r.file_id = d.file_id
                    and r.line = d.line
                    and r.settlement_date between $26 and $27
                )
              )
              and r.reconciliation_type in ($28, $29)
              and r.settlement_date between $30 and $31
          )
      ) d
      left join lateral (
        select
          "r".*
        from
          "settlement_records" "r"
        where
          r.file_id = d.file_id
          and r.line = d.line
        offset
          0
      ) "r" on true
      left join lateral (
        select
          "p".*
        from
          "payments" "p"
        where
          p.key = d.payment_key
        offset
          0
      ) "p" on true
    where
      (
        d.file_id is not null
        or (
          p.requested_at >= (($32::date - $33::int)::timestamp at time zone $34)
          and p.requested_at < ((least($35::date - $36::int, ($37::date - $38::int)) + 1)::timestamp at time zone $39)
        )
      )
  ) t
group by
  1,
  2;
