-- Finds the other deliveries of records of withdrawn or restored files.
insert into
  delivery_suspects
select
  k.key,
  k.unique_id
from
  named_payments k
  join (
    select
      m.payment_key,
      count(*) as results,
      min(m.file_id) as file_id,
      min(m.line) as line
    from
      (
        select distinct
          payment_key
        from
          named_payments
      ) n
      join record_matches m on m.payment_key = n.payment_key
    group by
      m.payment_key
  ) m on m.payment_key = k.payment_key
where
  m.results > 1
  or (m.file_id, m.line) <> (k.file_id, k.line);
