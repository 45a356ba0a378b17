-- Lists the values that too many of these payments have.
create temp table frequent_values on
commit
drop as
select
  identifier,
  value
from
  (
    select
      $1::text as identifier,
      "short_id" as value
    from
      awaited_payments
    union all
    select
      $2::text as identifier,
      "connector_tx_id1" as value
    from
      awaited_payments
    union all
    select
      $3::text as identifier,
      "connector_tx_id2" as value
    from
      awaited_payments
    union all
    select
      $4::text as identifier,
      "connector_tx_id3" as value
    from
      awaited_payments
  ) v
where
  value <> ''
group by
  1,
  2
having
  count(*) > $5::integer;
