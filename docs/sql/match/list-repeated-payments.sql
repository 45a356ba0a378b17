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
      false as several_files
    from
      shared_payments
    where
      not mixed
    union all
    select
      n.payment_key,
      min(n.file_id) <> max(n.file_id) as several_files
    from
      new_matches n
      join shared_payments s on s.payment_key = n.payment_key
      and s.mixed
    group by
      n.payment_key,
      n.reconciliation_type
    union all
    select
      n.payment_key,
      n.mixed
      or m.file_id <> n.file_id
    from
      (
        select
          payment_key,
          file_id,
          line,
          false as mixed
        from
          new_matches
        where
          payment_key is not null
          and not exists (
            select
            from
              shared_payments s
            where
              s.payment_key = new_matches.payment_key
          )
        union all
        select
          payment_key,
          first_file_id,
          null,
          mixed
        from
          shared_payments
      ) n
      join record_matches m on m.payment_key = n.payment_key
    where
      n.mixed
      or m.file_id <> n.file_id
      or m.line <> n.line
  ) t
group by
  payment_key;
