-- The same for a file that repeats rows of earlier files.
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
      m.line,
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
      record_matches m
      left join chargeback_links l on l.line = m.line
      and "l".file_id = $2
      and "l".line >= $3
      and "l".line < $4
      and l.active
    where
      "m".file_id = $5
      and "m".line >= $6
      and "m".line < $7
      and (
        not (
          m.status = 'MATCHED'
          and m.matched_by is not distinct from 'UNIQUE_ID'
          and m.matched_through is null
        )
        or l.line is not null
      )
    union all
    select
      q.line,
      $8
    from
      rejected_rows q
    where
      "q".file_id = $9
      and "q".line >= $10
      and "q".line < $11
      and not exists (
        select
        from
          row_corrections c
        where
          c.file_id = q.file_id
          and c.line = q.line
          and (
            exists (
              select
              from
                settlement_records r
              where
                r.file_id = c.file_id
                and r.line = c.line
              offset
                0
            )
            or exists (
              select
              from
                already_known_rows k
              where
                k.file_id = c.file_id
                and k.line = c.line
            )
          )
      )
    union all
    select
      k.line,
      coalesce(nullif(m.status::text, 'NOT_APPLICABLE'), '') || ';' || case
        when (
          m.status = 'MATCHED'
          and m.matched_by is not distinct from 'UNIQUE_ID'
          and m.matched_through is null
        ) then $12
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
      end || ';' || coalesce(l.chargeback_id, '')
    from
      already_known_rows k
      left join record_matches m on m.file_id = k.record_file_id
      and m.line = k.record_line
      left join chargeback_links l on l.file_id = k.record_file_id
      and l.line = k.record_line
      and l.active
    where
      "k".file_id = $13
      and "k".line >= $14
      and "k".line < $15
      and (
        not (
          m.status = 'MATCHED'
          and m.matched_by is not distinct from 'UNIQUE_ID'
          and m.matched_through is null
        )
        or l.line is not null
      )
  ) t;
