-- Lists the records that await the others.
insert into
  awaiting_records
select
  a.file_id,
  a.line
from
  (
    select
      identifier,
      value
    from
      awaited_values
    except
    select
      identifier,
      value
    from
      placeholders
  ) c
  cross join lateral (
    select
      a.file_id,
      a.line
    from
      awaited_identifiers a
    where
      a.value = c.value
      and a.identifier = c.identifier
    offset
      0
  ) a;
