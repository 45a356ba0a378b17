-- Lists the findings that somebody accepted since the last run, and up to which decision; before items are counted.
select
  (
    select
      coalesce(max(number), 0)::text
    from
      decisions
  ) as number,
  c.ids[1:$1] as ids,
  cardinality(c.ids) as count
from
  (
    select
      array(
        select
          u.id
        from
          (
            select
              *
            from
              discrepancies
            where
              not is_settled
            union all
            select
              d.*
            from
              (
                select distinct
                  unnest(
                    array(
                      select
                        item
                      from
                        decisions
                      where
                        number > coalesce(
                          (
                            select
                              last_decision
                            from
                              accept_checks
                          ),
                          0
                        )
                      union all
                      select
                        o.id
                      from
                        (
                          select
                            p.key
                          from
                            payments p
                          where
                            p.id in (
                              select
                                payment_id
                              from
                                payment_changes
                              where
                                column_name in ('Amount', 'Currency', 'PaymentType')
                            )
                        ) k
                        join discrepancies o on o.payment_key = k.key
                        and o.resolved_run is null
                        and o.file_id is null
                      union all
                      select
                        o.id
                      from
                        (
                          select
                            p.key
                          from
                            payments p
                          where
                            p.id in (
                              select
                                payment_id
                              from
                                payment_changes
                              where
                                column_name in ('Amount', 'Currency', 'PaymentType')
                            )
                        ) k
                        join record_matches m on m.payment_key = k.key
                        join discrepancies o on o.file_id = m.file_id
                        and o.line = m.line
                    )
                  ) as id
              ) doubted
              join discrepancies d on d.id = doubted.id
            where
              d.is_settled
              and d.resolved_run is null
          ) u
        where
          (
            select
              true
            from
              decisions x
            where
              x.kind = 'accept'
            limit
              1
          )
          and exists (
            select
            from
              decisions x
            where
              x.item = u.id
              and x.kind = 'accept'
            offset
              0
          )
        union all
        select
          id
        from
          (
            select
              *
            from
              discrepancies
            where
              not is_settled
            union all
            select
              d.*
            from
              (
                select distinct
                  unnest(
                    array(
                      select
                        item
                      from
                        decisions
                      where
                        number > coalesce(
                          (
                            select
                              last_decision
                            from
                              accept_checks
                          ),
                          0
                        )
                      union all
                      select
                        o.id
                      from
                        (
                          select
                            p.key
                          from
                            payments p
                          where
                            p.id in (
                              select
                                payment_id
                              from
                                payment_changes
                              where
                                column_name in ('Amount', 'Currency', 'PaymentType')
                            )
                        ) k
                        join discrepancies o on o.payment_key = k.key
                        and o.resolved_run is null
                        and o.file_id is null
                      union all
                      select
                        o.id
                      from
                        (
                          select
                            p.key
                          from
                            payments p
                          where
                            p.id in (
                              select
                                payment_id
                              from
                                payment_changes
                              where
                                column_name in ('Amount', 'Currency', 'PaymentType')
                            )
                        ) k
                        join record_matches m on m.payment_key = k.key
                        join discrepancies o on o.file_id = m.file_id
                        and o.line = m.line
                    )
                  ) as id
              ) doubted
              join discrepancies d on d.id = doubted.id
            where
              d.is_settled
              and d.resolved_run is null
          ) u
        where
          accepted_at_risk_minor is not null
      ) as ids
    offset
      0
  ) c;
