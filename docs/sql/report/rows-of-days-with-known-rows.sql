-- The same for a file that repeats rows of earlier files.
select
  r.line || ';' || encode(uuid_send (r.fingerprint), 'hex') || ';' || coalesce(nullif(m.status::text, 'NOT_APPLICABLE'), '') || ';' || case
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
  end || ';' || coalesce(l.chargeback_id, '') as row
from
  (
    select
      r.line,
      r.fingerprint,
      r.file_id as of_file,
      r.line as of_line
    from
      "settlement_records_N" r
    where
      r.file_id + 0 = $2
      and r.settlement_date between $3 and $4
    union all
    select
      k.line,
      r.fingerprint,
      r.file_id,
      r.line
    from
      already_known_rows k
      join settlement_records r on r.file_id = k.record_file_id
      and r.line = k.record_line
    where
      k.file_id = $5
      and r.settlement_date between $6 and $7
    offset
      0
  ) r
  left join lateral (
    select
      *
    from
      record_matches m
    where
      m.file_id = r.of_file
      and m.line = r.of_line
    offset
      0
  ) m on true
  left join lateral (
    select
      l.chargeback_id
    from
      chargeback_links l
    where
      l.file_id = r.of_file
      and l.line = r.of_line
      and l.active
    offset
      0
  ) l on true
order by
  r.line;
