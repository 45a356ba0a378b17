-- Lists the records whose stored result is based on other links and unlinks: they are matched again.
create temp table redecided_records on
commit
drop as
select
  t.file_id,
  t.line,
  r.settlement_date
from
  (
    (
      select
        file_id,
        line,
        kind,
        payment_key
      from
        manual_links
      except
      select
        file_id,
        line,
        kind,
        payment_key
      from
        applied_links
    )
    union
    (
      select
        file_id,
        line,
        kind,
        payment_key
      from
        applied_links
      except
      select
        file_id,
        line,
        kind,
        payment_key
      from
        manual_links
    )
  ) t
  join lateral (
    select
      r.settlement_date
    from
      settlement_records r
    where
      r.file_id = t.file_id
      and r.line = t.line
    limit
      1
  ) r on true
group by
  t.file_id,
  t.line,
  r.settlement_date;
