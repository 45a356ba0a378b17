-- Finds payments by account, amount and time, those of such records in this list.
create temp table found_payments on
commit
drop as
select
  null::text as identifier,
  null::text collate "C" as value,
  r.file_id,
  r.line,
  p.*
from
  undecided_records r
  cross join lateral (
    select
      p.*,
      case
        when p.found > $1::integer then p.found
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
                p.entity_id = r.merchant_account_id
                and p.account_number_last4 = r.account_number_last4
                and r.account_number_last4 <> ''
                and p.amount_minor = r.amount_minor
                and p.currency = r.currency
                and p.requested_at between r.tx_request_time - make_interval(secs => $2::float8) and r.tx_request_time + make_interval(secs => $3::float8)
                and (
                  p.payment_brand = r.brand
                  or coalesce(p.payment_brand, '') = ''
                  or coalesce(r.brand, '') = ''
                )
                and p.payment_type in ($4, $5, $6, $7, $8, $9)
              )
            limit
              $10::integer
          ) p
      ) p
    where
      not p.found > $11::integer
      or p.number = 1
  ) p
where
  not exists (
    select
    from
      decided_records d
    where
      d.file_id = r.file_id
      and d.line = r.line
  )
  and not exists (
    select
    from
      busy_records b
    where
      b.file_id = r.file_id
      and b.line = r.line
  )
union all
select
  null::text as identifier,
  null::text collate "C" as value,
  b.*
from
  (
    select
      b.file_id,
      b.line,
      p.key,
      p.payment_type,
      p.outcome,
      p.amount_minor,
      p.currency,
      t.found,
      p.place as number,
      case
        when t.found > $12::integer then t.found
        else 1
      end as weight
    from
      busy_records b
      join busy_times t on t.number = b.number
      and t.brand = b.brand
      and t.tx_request_time = b.tx_request_time
      left join lateral (
        select
          p.*
        from
          busy_brands k
          cross join lateral (
            select
              p.*
            from
              busy_payments p
            where
              p.number = k.number
              and p.payment_brand = k.payment_brand
              and p.requested_at between b.tx_request_time - make_interval(secs => $13::float8) and b.tx_request_time + make_interval(secs => $14::float8)
            offset
              0
          ) p
        where
          k.number = b.number
          and k.brand = b.brand
          and t.found <= $15::integer
        offset
          0
      ) p on true
    where
      t.found > 0
  ) b;
