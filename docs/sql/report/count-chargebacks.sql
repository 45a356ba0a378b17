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
    where
      t.file_id = any (
        array(
          select
            f.id
          from
            settlement_files f
          where
            f.finished_run_id = $1
            and f.status = 'loaded'
        )
      )
      and t.active
    union all
    select
      t.*
    from
      run_rechecks c
      join "chargeback_links" t on t.file_id = c.file_id
      and t.line = c.line
    where
      c.run_id = $2
      and c.file_id <> all (
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
      and t.active
  ) l;
