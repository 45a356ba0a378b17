-- Reads rejected-rows.csv.
select
  f.source,
  f.name as file,
  t.line,
  t.issues,
  t.raw_text,
  c.author as corrected_by,
  c.decided_on::text as corrected_on
from
  (
    select
      id
    from
      settlement_files f
    where
      not (
        f.id in (
          select
            w.file_id
          from
            withdrawn_files w
        )
        or f.id in (
          select
            w.file_id
          from
            (
              select distinct
                on (file_id) file_id,
                kind,
                author,
                decided_at,
                reason
              from
                file_withdrawals
              order by
                file_id,
                number desc
            ) w
            join settlement_files g on g.id = w.file_id
            and g.status = 'rejected'
          where
            w.kind = 'withdraw'
        )
      )
      and status in ('loaded', 'rejected')
      and case
        when first_settlement_date is null then (received_at at time zone $1)::date between $2 and $3
        else first_settlement_date <= $4
        and last_settlement_date >= $5
      end
  ) s
  full join (
    select
      r.id,
      g.code,
      g.message
    from
      jsonb_to_recordset($6::text::jsonb) as g (sha256 text, code text, message text)
      join settlement_files r on r.sha256 = g.sha256
  ) o on o.id = s.id
  join settlement_files f on f.id = coalesce(s.id, o.id)
  join lateral (
    select
      null::integer as line,
      null::text as raw_text,
      jsonb_build_array(
        jsonb_build_object(
          'column',
          null,
          'code',
          coalesce(o.code, f.error_code),
          'message',
          coalesce(o.message, f.error_message),
          'value',
          null
        )
      ) as issues
    where
      o.id is not null
      or f.error_code is not null
    union all
    select
      q.line,
      left(q.raw_text, $7),
      q.issues
    from
      rejected_rows q
    where
      q.file_id = f.id
      and s.id is not null
  ) t on true
  left join row_corrections c on c.file_id = f.id
  and c.line = t.line
order by
  f.name collate "C",
  f.id,
  t.line nulls first;
