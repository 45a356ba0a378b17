-- Adds up the known rows of a file, for the same comparison; only if it has any.
select
  r.currency,
  count(*) as count,
  sum(r.amount_minor)::text as sum
from
  (
    select
      k.line,
      r.currency,
      r.amount_minor
    from
      (
        select
          record_file_id as file_id,
          record_line as line
        from
          already_known_rows
        where
          file_id = $1
      ) k
      join lateral (
        select
          *
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($2, ',')::integer[])
          and r.file_id = k.file_id
          and r.line = k.line
        offset
          0
      ) r on true
    where
      true
  ) r
group by
  r.currency;
