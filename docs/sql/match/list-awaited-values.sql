-- Lists the identifiers of changed payments that earlier records await, before and after the change.
create temp table awaited_values on
commit
drop as
select
  c.identifier,
  c.value
from
  (
    select
      $1::text as identifier,
      id as value
    from
      changed_payments
    union
    select
      $2::text as identifier,
      "short_id" as value
    from
      changed_payments
    union
    select
      $3::text as identifier,
      "connector_tx_id1" as value
    from
      changed_payments
    union
    select
      $4::text as identifier,
      "connector_tx_id2" as value
    from
      changed_payments
    union
    select
      $5::text as identifier,
      "connector_tx_id3" as value
    from
      changed_payments
    union
    select
      $6::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $7::bigint
      and column_name = $8
      and old_value is not null
    union
    select
      $9::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $10::bigint
      and column_name = $11
      and old_value is not null
    union
    select
      $12::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $13::bigint
      and column_name = $14
      and old_value is not null
    union
    select
      $15::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $16::bigint
      and column_name = $17
      and old_value is not null
  ) c
  cross join lateral (
    select
    from
      awaited_identifiers a
    where
      a.value = c.value
      and a.identifier = c.identifier
    limit
      1
  ) a;
