-- Counts how many of these payments fit the records of each time and brand.
create temp table busy_times on
commit
drop as
select
  t.number,
  t.brand,
  t.tx_request_time,
  (
    select
      coalesce(
        sum(
          coalesce(
            (
              select
                p.place
              from
                busy_payments p
              where
                p.number = t.number
                and p.payment_brand = k.payment_brand
                and p.requested_at <= t.tx_request_time + make_interval(secs => $1::float8)
              order by
                p.requested_at desc,
                p.place desc
              limit
                1
            ),
            0
          ) - coalesce(
            (
              select
                p.place
              from
                busy_payments p
              where
                p.number = t.number
                and p.payment_brand = k.payment_brand
                and p.requested_at < t.tx_request_time - make_interval(secs => $2::float8)
              order by
                p.requested_at desc,
                p.place desc
              limit
                1
            ),
            0
          )
        ),
        0
      )
    from
      busy_brands k
    where
      k.number = t.number
      and k.brand = t.brand
  )::bigint as found
from
  (
    select distinct
      number,
      brand,
      tx_request_time
    from
      busy_records
  ) t;
