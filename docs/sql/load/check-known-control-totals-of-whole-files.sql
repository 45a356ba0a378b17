-- Adds up the known rows of a file that repeats most of earlier files, for the same comparison.
select
  r.currency,
  count(*) as count,
  sum(r.amount_minor)::text as sum
from
  (
    with
      repeated as materialized (
        select
          record_file_id as file_id,
          record_line as line
        from
          already_known_rows
        where
          file_id = $1
      )
    select
      k.line,
      r.currency,
      r.amount_minor
    from
      (
        select
          *
        from
          repeated
        where
          file_id = any (string_to_array($2, ',')::integer[])
      ) k
      full join (
        select
          r.*
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($3, ',')::integer[])
          and true
      ) r on r.file_id = k.file_id
      and r.line = k.line
    where
      coalesce(
        k.line is not null
        and r.line is not null,
        false
      )
    union all
    select
      k.line,
      r.currency,
      r.amount_minor
    from
      (
        select
          *
        from
          repeated
        where
          file_id <> all (string_to_array($4, ',')::integer[])
      ) k
      join lateral (
        select
          *
        from
          settlement_records r
        where
          r.file_id = any (string_to_array($5, ',')::integer[])
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
