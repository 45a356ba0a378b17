-- Lists the payments with several records, and whether two of them are of different files.
create temp table repeated_payments on
commit
drop as
with
  several as materialized (
    select
      payment_key,
      min(file_id) <> max(file_id) as mixed
    from
      new_matches
    where
      payment_key is not null
    group by
      payment_key
    having
      count(*) > 1
  )
select
  payment_key,
  bool_or(several_files) as of_several_files
from
  (
    select
      payment_key,
      false as several_files
    from
      several
    where
      not mixed
    union all
    select
      n.payment_key,
      min(n.file_id) <> max(n.file_id) as several_files
    from
      new_matches n
      join several s on s.payment_key = n.payment_key
      and s.mixed
    group by
      n.payment_key,
      n.reconciliation_type
    union all
    select
      n.payment_key,
      m.file_id <> n.file_id
    from
      new_matches n
      join record_matches m on m.payment_key = n.payment_key
    where
      (m.file_id, m.line) <> (n.file_id, n.line)
  ) t
group by
  payment_key;
