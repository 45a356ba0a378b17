-- Lists the new payments that are not late, but have an identifier of a record that is matched to another one.
create temp table "awaited_payments" on
commit
drop as
select
  p.key,
  p.short_id,
  p.connector_tx_id1,
  p.connector_tx_id2,
  p.connector_tx_id3
from
  payments p
where
  (
    p.key > $1::bigint
    and (
      p.key > $2::bigint
      or age (p.xmin) <= (
        select
          pg_current_xact_id()::text::bigint - $3::bigint
      )
    )
  )
  and p.payment_type in ($4, $5, $6, $7, $8, $9)
  and (
    exists (
      select
      from
        awaited_identifiers a
      where
        a.value = p.id
        and a.identifier = $10
    )
    or exists (
      select
      from
        awaited_identifiers a
      where
        a.value = p."short_id"
        and a.identifier = $11
    )
    or exists (
      select
      from
        awaited_identifiers a
      where
        a.value = p."connector_tx_id1"
        and a.identifier = $12
    )
    or exists (
      select
      from
        awaited_identifiers a
      where
        a.value = p."connector_tx_id2"
        and a.identifier = $13
    )
    or exists (
      select
      from
        awaited_identifiers a
      where
        a.value = p."connector_tx_id3"
        and a.identifier = $14
    )
  );
