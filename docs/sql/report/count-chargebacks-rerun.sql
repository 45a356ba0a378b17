-- Counts the chargebacks and linked reversals in scope, for the summary.
select
  count(*) filter (
    where
      l.kind = 'CHARGEBACK'
  )::int as assigned,
  count(*) filter (
    where
      l.kind = 'CHARGEBACK REVERSAL'
      and exists (
        select
        from
          chargeback_links taken
        where
          taken.chargeback_id = l.chargeback_id
          and taken.kind = 'CHARGEBACK'
          and taken.active
      )
  )::int as reversed
from
  (
    select
      t.*
    from
      "chargeback_links" t
      cross join lateral (
        select
          r.settlement_date
        from
          settlement_records r
        where
          r.file_id = t.file_id
          and r.line = t.line
          and r.file_id = any (string_to_array($1, ',')::integer[])
        limit
          1
      ) r
    where
      t.file_id = any (
        array(
          select
            f.id
          from
            settlement_files f
          where
            f.status = 'loaded'
            and f.first_settlement_date <= $2
            and f.last_settlement_date >= $3
        )
      )
      and r.settlement_date between $4 and $5
      and t.active
  ) l;
