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
                and f.first_settlement_date <= $5
                and f.last_settlement_date >= $6
                and not (
                  f.first_settlement_date >= $7
                  and f.last_settlement_date <= $8
                )
            )
          )
      ) d
      full join (
        select
          file_id,
          line
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($9, ',')::integer[])
          and file_id = any (
            array(
              select
                f.id
              from
                settlement_files f
              where
                f.status = 'loaded'
                and f.first_settlement_date <= $10
                and f.last_settlement_date >= $11
                and not (
                  f.first_settlement_date >= $12
                  and f.last_settlement_date <= $13
                )
            )
          )
          and settlement_date between $14 and $15
      ) r on r.file_id = d.file_id
      and r.line = d.line
    where
      coalesce(
        d.id is not null
        and r.line is not null,
        false
      )
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
  and o.code in ($16, $17, $18, $19, $20)
union
select
  o.id
from
  discrepancies o
where
  o.resolved_run is null
  and o.code = 'MISSING_SETTLEMENT';
