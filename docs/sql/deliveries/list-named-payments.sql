-- Lists the payments that the records of withdrawn or restored files name.
create temp table "named_payments" on
commit
drop as
select
  r.file_id,
  r.line,
  (
    case
      when r.settlement_tx_id <> '' then md5(
        r.settlement_tx_id || '|' || r.reconciliation_type || '|' || r.payment_type || '|' || (
          case
            when r.unique_id <> '' then 'UniqueID ' || r.unique_id
            when r.short_id <> '' then 'ShortId ' || r.short_id
            when concat(r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> '' then concat('ConnectorTxIds ', r.connector_tx_id1, '|', r.connector_tx_id2, '|', r.connector_tx_id3)
          end
        )
      )::uuid
    end
  ) as key,
  r.unique_id,
  p.key as payment_key
from
  (
    select
      file_id,
      line
    from
      changed_records
    union
    select
      file_id,
      line
    from
      moved_records
  ) c
  join settlement_records r on r.file_id = c.file_id
  and r.line = c.line
  join payments p on p.id = r.unique_id;
