-- Lists the account, digits, amount and currency that several records and more payments than the limit have in common.
create temp table busy_attributes on
commit
drop as
select
  (row_number() over ())::integer as number,
  r.*
from
  (
    select
      r.merchant_account_id,
      r.account_number_last4,
      r.amount_minor,
      r.currency,
      min(r.tx_request_time) as first_time,
      max(r.tx_request_time) as last_time
    from
      (
        select
          r.*
        from
          undecided_records r
        where
          not exists (
            select
            from
              decided_records d
            where
              d.file_id = r.file_id
              and d.line = r.line
          )
      ) r
    where
      r.account_number_last4 <> ''
      and r.tx_request_time is not null
    group by
      1,
      2,
      3,
      4
    having
      count(*) > $1::integer
  ) r
where
  (
    select
      true
    from
      payments p
    where
      p.entity_id = r.merchant_account_id
      and p.account_number_last4 = r.account_number_last4
      and r.account_number_last4 <> ''
      and p.amount_minor = r.amount_minor
      and p.currency = r.currency
      and p.requested_at between r.first_time - make_interval(secs => $2::float8) and r.last_time + make_interval(secs => $3::float8)
    offset
      $4::integer
    limit
      1
  );
