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
      'unique_id'::text as identifier,
      id as value
    from
      changed_payments
    union
    select
      $1::text,
      "short_id"
    from
      related_payments
    union
    select
      $2::text,
      "connector_tx_id1"
    from
      related_payments
    union
    select
      $3::text,
      "connector_tx_id2"
    from
      related_payments
    union
    select
      $4::text,
      "connector_tx_id3"
    from
      related_payments
    union
    select
      $5::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $6::bigint
      and column_name = $7
      and old_value is not null
    union
    select
      $8::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $9::bigint
      and column_name = $10
      and old_value is not null
    union
    select
      $11::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $12::bigint
      and column_name = $13
      and old_value is not null
    union
    select
      $14::text as identifier,
      old_value as value
    from
      payment_changes
    where
      id > $15::bigint
      and column_name = $16
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
