-- Reads corrections.csv: the rejected rows of all files that nobody has corrected.
select
  f.name as file,
  f.sha256,
  q.line,
  unnest(
    case
      when octet_length((chr(31) || q.raw_text)) <= $1::integer then array[(chr(31) || q.raw_text)]
      else array(
        select
          case
            when at + $2::integer > octet_length(b.bytes) then $3
            else $4
          end || encode(
            substring(
              b.bytes
              from
                at for $5::integer
            ),
            'hex'
          )
        from
          (
            select
              convert_to((chr(31) || q.raw_text), 'UTF8') as bytes
            offset
              0
          ) b
          cross join lateral generate_series(1, octet_length(b.bytes), $6::integer) at
        order by
          at
      )
    end
  ) as raw_text,
  q.issues
from
  rejected_rows q
  join settlement_files f on f.id = q.file_id
  and f.status = 'loaded'
where
  not exists (
    select
    from
      row_corrections c
    where
      c.file_id = q.file_id
      and c.line = q.line
  )
  and q.file_id not in (
    select
      w.file_id
    from
      withdrawn_files w
  )
order by
  f.name collate "C",
  f.id,
  q.line;
