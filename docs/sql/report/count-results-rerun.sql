-- Counts the records in scope by result, for the summary.
select
  m.status,
  count(*)::int as count
from
  (
    select
      t.*
    from
      "record_matches" t
      join settlement_records r on r.file_id = t.file_id
      and r.line = t.line
      and r.file_id = any (string_to_array($1, ',')::integer[])
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
      and (
        t.status <> 'NOT_APPLICABLE'
        or not exists (
          select
          from
            uncounted_records u
          where
            u.file_id = t.file_id
            and u.line = t.line
            and u.reason <> 'REDELIVERED'
        )
      )
  ) m
group by
  m.status;
