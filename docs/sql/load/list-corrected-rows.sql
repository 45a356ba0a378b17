-- Lists the corrected rows that are no records yet; only if a row was ever corrected.
select
  c.file_id as "fileId",
  c.line,
  f.source,
  f.name,
  f.sha256,
  f.size_bytes::float8 as "sizeBytes",
  c.cells
from
  row_corrections c
  join settlement_files f on f.id = c.file_id
  and f.status = 'loaded'
  left join lateral (
    select
      true as stored
    from
      settlement_records r
    where
      r.file_id = c.file_id
      and r.line = c.line
    limit
      1
  ) r on true
  left join already_known_rows k on k.file_id = c.file_id
  and k.line = c.line
  left join lateral (
    select
      w.kind
    from
      file_withdrawals w
    where
      w.file_id = c.file_id
    order by
      w.number desc
    limit
      1
  ) w on true
where
  r.stored is null
  and k.file_id is null
  and w.kind is distinct from 'withdraw'
order by
  c.file_id,
  c.line;
