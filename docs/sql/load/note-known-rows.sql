-- Notes the rows that are stored already, each with the file and line of its record.
insert into
  already_known_rows (file_id, line, record_file_id, record_line)
select
  $1::integer,
  n.line,
  r.file_id,
  r.line
from
  numbered_records n
  join (
    select
      *
    from
      "settlement_records_N"
    union all
    select
      *
    from
      "settlement_records_N"
  ) r using (settlement_date, fingerprint, occurrence)
order by
  n.line;
