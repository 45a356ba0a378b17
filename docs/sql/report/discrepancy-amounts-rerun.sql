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
          (
            select
              *
            from
              discrepancies
            where
              resolved_run is null
              and file_id = any (
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
          ) d
          full join (
            select
              file_id,
              line
            from
              settlement_records
            where
              file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.status = 'loaded'
                    and f.first_settlement_date <= $11
                    and f.last_settlement_date >= $12
                    and not (
                      f.first_settlement_date >= $13
                      and f.last_settlement_date <= $14
                    )
                )
              )
              and settlement_date between $15 and $16
          ) r on r.file_id = d.file_id
          and r.line = d.line
        where
          coalesce(
            d.id is not null
            and r.line is not null,
            false
          )
        union all
        select
          d.*
        from
          (
            select
              *
            from
              discrepancies
            where
              resolved_run is null
              and file_id is null
          ) d
          full join (
            select
              p.key
            from
              payments p
            where
              (
                p.requested_at >= (($17::date - $18::int)::timestamp at time zone $19)
                and p.requested_at < ((least($20::date - $21::int, ($22::date - $23::int)) + 1)::timestamp at time zone $24)
              )
          ) p on p.key = d.payment_key
        where
          coalesce(
            d.id is not null
            and p.key is not null,
            false
          )
        union all
        select
          d.*
        from
          discrepancies d
        where
          d.id in (
            (
              with
                others as materialized (
                  select
                    d.id,
                    own.payment_key
                  from
                    discrepancies d
                    join record_matches own on own.file_id = d.file_id
                    and own.line = d.line
                  where
                    d.resolved_run is null
                    and d.code in ($25, $26, $27)
                    and not (
                      d.file_id = any (
                        array(
                          select
                            f.id
                          from
                            settlement_files f
                          where
                            f.status = 'loaded'
                            and f.first_settlement_date <= $28
                            and f.last_settlement_date >= $29
                        )
                      )
                      and exists (
                        select
                        from
                          settlement_records r
                        where
                          r.file_id = d.file_id
                          and r.line = d.line
                          and r.settlement_date between $30 and $31
                      )
                    )
                )
              select
                d.id
              from
                others d
                join record_matches m on m.payment_key = d.payment_key
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
                r.reconciliation_type in ($32)
                and r.settlement_date between $33 and $34
            )
            union
            (
              with
                others as materialized (
                  select
                    d.id,
                    own.payment_key
                  from
                    discrepancies d
                    join record_matches own on own.file_id = d.file_id
                    and own.line = d.line
                  where
                    d.resolved_run is null
                    and d.code in ($35)
                    and not (
                      d.file_id = any (
                        array(
                          select
                            f.id
                          from
                            settlement_files f
                          where
                            f.status = 'loaded'
                            and f.first_settlement_date <= $36
                            and f.last_settlement_date >= $37
                        )
                      )
                      and exists (
                        select
                        from
                          settlement_records r
                        where
                          r.file_id = d.file_id
                          and r.line = d.line
                          and r.settlement_date between $38 and $39
                      )
                    )
                )
              select
                d.id
              from
                others d
                join record_matches m on m.payment_key = d.payment_key
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
                r.reconciliation_type in ($40, $41)
                and r.settlement_date between $42 and $43
            )
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
          p.requested_at >= (($44::date - $45::int)::timestamp at time zone $46)
          and p.requested_at < ((least($47::date - $48::int, ($49::date - $50::int)) + 1)::timestamp at time zone $51)
        )
      )
  ) t
group by
  1,
  2;
