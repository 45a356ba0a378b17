-- Lists the payments with several records, and whether two of them are of different files.
create temp table repeated_payments on
commit
drop as
select
  payment_key,
  bool_or(several_files) as of_several_files
from
  (
    select
      payment_key,
      bool_or(first <> last) as several_files
    from
      (
        select
          payment_key,
          reconciliation_type,
          min(file_id) as first,
          max(file_id) as last,
          count(*) as records
        from
          new_matches
        where
          payment_key is not null
        group by
          payment_key,
          reconciliation_type
      ) t
    group by
      payment_key
    having
      sum(records) > 1
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
