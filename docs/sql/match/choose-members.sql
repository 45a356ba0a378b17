-- Chooses which of them narrowing leaves to each record, and counts these.
create temp table family_choices on
commit
drop as
select
  r.file_id,
  r.line,
  r.matched_by,
  r.set_id,
  r.amount_minor,
  r.currency,
  c.succeeded,
  c.same_amount,
  c.found
from
  misfit_records r
  cross join lateral (
    select
      c.succeeded,
      c.same_amount,
      c.found
    from
      (
        select
          c.succeeded,
          c.same_amount,
          c.found as found
        from
          (
            select
              c.succeeded,
              $1::boolean as same_amount,
              c.found
            from
              fitting_counts c
            where
              c.set_id = r.set_id
              and c.amount_minor = r.amount_minor
              and c.currency = r.currency
            union all
            select
              c.succeeded,
              $2::boolean as same_amount,
              c.found
            from
              fitting_counts c
            where
              c.set_id = r.set_id
              and c.amount_minor is null
            offset
              0
          ) c
      ) c
    where
      c.found > 0
    order by
      c.succeeded desc,
      c.same_amount desc
    limit
      1
  ) c;
