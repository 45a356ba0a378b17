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
      finished_run_id = $1
      and status in ('loaded', 'rejected')
      and not f.id in (
        select
          w.file_id
        from
          withdrawn_files w
      )
  ) s
  join settlement_files f on f.id = s.id
  join lateral (
    select
      null::integer as line,
      null::text as raw_text,
      jsonb_build_array(jsonb_build_object('column', null, 'code', f.error_code, 'message', f.error_message, 'value', null)) as issues
    where
      f.error_code is not null
    union all
    select
      q.line,
      left(q.raw_text, $2),
      q.issues
    from
      rejected_rows q
    where
      q.file_id = f.id
  ) t on true
  left join row_corrections c on c.file_id = f.id
  and c.line = t.line
order by
  f.name collate "C",
  f.id,
  t.line nulls first;
