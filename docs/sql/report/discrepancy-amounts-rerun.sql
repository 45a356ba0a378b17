-- Adds up the open discrepancies in scope by code and currency, for the summary.
select
  d.code,
  coalesce(r.currency, p.currency) as currency,
  count(*)::int as count,
  sum(abs(coalesce(d.difference_minor, r.amount_minor, p.amount_minor)))::text as amount_minor
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
                and f.first_settlement_date <= $1
                and f.last_settlement_date >= $2
            )
          )
          and r.settlement_date between $3 and $4
      ) d
    union
    select
      d.id
    from
      payments p
      cross join lateral (
        select
          d.id,
          d.file_id,
          d.resolved_run
        from
          discrepancies d
        where
          d.payment_key = p.key
        offset
          0
      ) d
    where
      d.file_id is null
      and d.resolved_run is null
      and (
        p.requested_at >= (($5::date - $6::int)::timestamp at time zone $7)
        and p.requested_at < ((least($8::date - $9::int, ($10::date - $11::int)) + 1)::timestamp at time zone $12)
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
      and d.code in ($13, $14)
      and r.reconciliation_type in ($15)
      and r.settlement_date between $16 and $17
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
      and d.code in ($18)
      and r.reconciliation_type in ($19, $20)
      and r.settlement_date between $21 and $22
  ) s
  join discrepancies d on d.id = s.id
  left join settlement_records r on r.file_id = d.file_id
  and r.line = d.line
  left join payments p on p.key = d.payment_key
group by
  1,
  2
order by
  d.code collate "C",
  coalesce(r.currency, p.currency) collate "C";
