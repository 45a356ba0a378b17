-- Compares the booked amounts with those of the records; before matching is committed.
select
  coalesce(r.kind, b.kind) as kind,
  coalesce(r.currency, b.currency) as currency,
  coalesce(r.amount, 0)::bigint as records,
  coalesce(b.amount, 0)::bigint as booked
from
  (
    select
      l.kind,
      s.currency,
      sum(s.amount_minor) as amount
    from
      new_links l
      join settlement_records s on s.file_id = l.file_id
      and s.line = l.line
    group by
      1,
      2
  ) r
  full join (
    select
      l.kind,
      p.currency,
      sum(p.amount_minor) as amount
    from
      new_links l
      join payments p on p.id = l.booking_id
    group by
      1,
      2
  ) b on b.kind = r.kind
  and b.currency = r.currency
where
  r.amount is distinct from b.amount
order by
  1,
  2
limit
  1;
