-- Adds up the open discrepancies in scope by code, severity and currency, for a dry run.
select
  t.code,
  t.severity,
  t.currency,
  count(*)::int as count,
  sum(abs(t.amount_minor))::text as amount_minor
from
  (
    select
      d.code,
      d.severity,
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
                f.finished_run_id = $3
                and f.status = 'loaded'
            )
          )
        union all
        select
          d.*
        from
          run_rechecks c
          join discrepancies d on d.file_id = c.file_id
          and d.line = c.line
        where
          c.run_id = $4
          and c.file_id <> all (
            array(
              select
                f.id
              from
                settlement_files f
              where
                f.finished_run_id = $5
                and f.status = 'loaded'
            )
          )
          and d.resolved_run is null
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
            (
              with
                others as materialized (
                  select
                    d.id,
                    own.payment_key,
                    case
                      when d.code in ($6, $7, $8) then 0
                      when d.code in ($9, $10) then 1
                    end as sum
                  from
                    discrepancies d
                    join record_matches own on own.file_id = d.file_id
                    and own.line = d.line
                  where
                    d.resolved_run is null
                    and d.code in ($11, $12, $13, $14, $15)
                    and not (
                      d.file_id = any (
                        array(
                          select
                            f.id
                          from
                            settlement_files f
                          where
                            f.finished_run_id = $16
                            and f.status = 'loaded'
                        )
                      )
                      or exists (
                        select
                        from
                          run_rechecks c
                        where
                          c.run_id = $17
                          and c.file_id = d.file_id
                          and c.line = d.line
                      )
                    )
                ),
                shared as materialized (
                  select distinct
                    d.payment_key,
                    s.sum
                  from
                    (
                      select distinct
                        payment_key
                      from
                        (
                          select
                            payment_key
                          from
                            others
                          intersect
                          (
                            select
                              m.payment_key
                            from
                              record_matches m
                            where
                              m.file_id = any (
                                array(
                                  select
                                    f.id
                                  from
                                    settlement_files f
                                  where
                                    f.finished_run_id = $18
                                    and f.status = 'loaded'
                                )
                              )
                            union all
                            select
                              m.payment_key
                            from
                              run_rechecks c
                              cross join lateral (
                                select
                                  m.payment_key
                                from
                                  record_matches m
                                where
                                  m.file_id = c.file_id
                                  and m.line = c.line
                                offset
                                  0
                              ) m
                            where
                              c.run_id = $19
                          )
                        ) o
                    ) d
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
                      limit
                        1
                    ) r
                    cross join lateral (
                      select
                        case
                          when r.reconciliation_type in ($20) then 0
                          when r.reconciliation_type in ($21, $22) then 1
                        end as sum
                    ) s
                  where
                    s.sum is not null
                    and (
                      r.file_id in (
                        select
                          f.id
                        from
                          settlement_files f
                        where
                          f.finished_run_id = $23
                          and f.status = 'loaded'
                      )
                      or exists (
                        select
                        from
                          run_rechecks c
                        where
                          c.run_id = $24
                          and c.file_id = r.file_id
                          and c.line = r.line
                      )
                    )
                )
              select
                d.id
              from
                others d
                full join shared on shared.payment_key = d.payment_key
                and shared.sum = d.sum
              where
                coalesce(
                  d.id is not null
                  and shared.payment_key is not null,
                  false
                )
            )
            union
            select
              d.id
            from
              (
                select
                  id,
                  file_id,
                  line
                from
                  discrepancies
                where
                  first_seen_run = $25
                  and not is_settled
                union all
                select
                  id,
                  file_id,
                  line
                from
                  discrepancies
                where
                  first_seen_run = $26
                  and resolved_run is null
                  and accepted_at_risk_minor is not null
                union all
                select
                  f.id,
                  f.file_id,
                  f.line
                from
                  discrepancy_changes c
                  join discrepancies f on f.id = c.id
                where
                  c.run_id = $27
                  and f.resolved_run is null
              ) d
            where
              d.file_id is not null
              and not (
                d.file_id = any (
                  array(
                    select
                      f.id
                    from
                      settlement_files f
                    where
                      f.finished_run_id = $28
                      and f.status = 'loaded'
                  )
                )
                or exists (
                  select
                  from
                    run_rechecks c
                  where
                    c.run_id = $29
                    and c.file_id = d.file_id
                    and c.line = d.line
                )
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
        limit
          1
      ) "r" on true
      left join "payments" "p" on p.key = d.payment_key
    where
      (
        d.file_id is not null
        or (
          p.requested_at >= $30::timestamptz
          and p.requested_at < $31::timestamptz
        )
      )
  ) t
group by
  1,
  2,
  3;
