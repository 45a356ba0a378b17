-- Lists the open discrepancies that this run checked again.
insert into
  looked_at_findings
select
  o.id
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
            and f.first_settlement_date <= $1
            and f.last_settlement_date >= $2
            and f.first_settlement_date >= $3
            and f.last_settlement_date <= $4
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
            and f.first_settlement_date <= $5
            and f.last_settlement_date >= $6
            and not (
              f.first_settlement_date >= $7
              and f.last_settlement_date <= $8
            )
        )
      )
      and r.settlement_date between $9 and $10
  ) o
union
select
  o.id
from
  extra_records e
  join discrepancies o on o.file_id = e.file_id
  and o.line = e.line
where
  o.resolved_run is null
union
select
  o.id
from
  new_links l
  join discrepancies o on o.file_id = l.file_id
  and o.line = l.line
where
  o.resolved_run is null
  and o.code = 'REVERSAL_WITHOUT_CHARGEBACK'
union
select
  o.id
from
  review_payments s
  join discrepancies o on o.payment_key = s.payment_key
where
  o.resolved_run is null
  and o.code in ($11, $12, $13, $14)
union
select
  o.id
from
  discrepancies o
where
  o.resolved_run is null
  and o.code = 'MISSING_SETTLEMENT';
