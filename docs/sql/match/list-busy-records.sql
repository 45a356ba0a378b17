-- Lists the records with these; only if there are any, as the next four.
create temp table busy_records on
commit
drop as
select
  r.file_id,
  r.line,
  b.number,
  coalesce(r.brand, '') as brand,
  r.tx_request_time
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
  join busy_attributes b on b.merchant_account_id = r.merchant_account_id
  and b.account_number_last4 = r.account_number_last4
  and b.amount_minor = r.amount_minor
  and b.currency = r.currency
where
  r.tx_request_time is not null;
