-- Finds payments by ShortId for records that UniqueID did not decide.
create temp table found_payments on
commit
drop as
select
  $1::text as identifier,
  r."short_id" as value,
  null::integer as file_id,
  null::integer as line,
  p.*
from
  (
    select distinct
      r."short_id"
    from
      undecided_records r
    where
      r."short_id" <> ''
      and not exists (
        select
        from
          decided_records d
        where
          d.file_id = r.file_id
          and d.line = r.line
      )
  ) r
  cross join lateral (
    select
      p.*,
      case
        when p.found > $2::integer then p.found
        else 1
      end as weight
    from
      (
        select
          p.*,
          count(*) over () as found,
          row_number() over () as number
        from
          (
            select
              p.key,
              p.payment_type,
              p.outcome,
              p.amount_minor,
              p.currency
            from
              payments p
            where
              (
                p."short_id" = r."short_id"
                and r."short_id" <> ''
                and p.payment_type in ($3, $4, $5, $6, $7, $8)
              )
            limit
              $9::integer
          ) p
      ) p
    where
      not p.found > $10::integer
      or p.number = 1
  ) p;
