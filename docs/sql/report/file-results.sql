-- Reads columns 34-36 for a window of lines of one file; while its reconciled file is written.
select
  string_agg(
    t.line || ';' || t.outcome,
    E'
'
    order by
      t.line
  ) as
window
from
  (
    select
      r.line,
      coalesce(nullif(m.status::text, 'NOT_APPLICABLE'), '') || ';' || case
        when (
          m.status = 'MATCHED'
          and m.matched_by is not distinct from 'UNIQUE_ID'
          and m.matched_through is null
        ) then $1
        else coalesce(
          (
            case m.status
              when 'MATCHED' then (
                select
                  paid.id
                from
                  payments paid
                where
                  paid.key = m.payment_key
              )
              when 'MULTIPLE_MATCHES' then (
                select
                  string_agg(
                    paid.id,
                    ','
                    order by
                      paid.id collate "C"
                  )
                from
                  match_candidates c
                  join payments paid on paid.key = c.payment_key
                where
                  c.file_id = m.file_id
                  and c.line = m.line
              )
            end
          ),
          ''
        )
      end || ';' || coalesce(l.chargeback_id, '') as outcome
    from
      settlement_records r
      left join record_matches m on m.line = r.line
      and "m".file_id = $2
      and "m".line >= $3
      and "m".line < $4
      left join chargeback_links l on l.line = r.line
      and "l".file_id = $5
      and "l".line >= $6
      and "l".line < $7
      and l.active
    where
      "r".file_id = $8
      and "r".line >= $9
      and "r".line < $10
      and r.settlement_date between $11 and $12
  ) t;
