-- Finds the records that somebody decided about, and undecided ones of a source that no longer asks.
insert into
  delivery_suspects
select
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
  ),
  nullif(r.unique_id, '')
from
  (
    select distinct
      d.file_id,
      d.line
    from
      decisions d
    where
      d.kind in ('link', 'unlink', 'supersede', 'keep-both')
      and d.file_id is not null
    union
    select
      u.file_id,
      u.line
    from
      uncounted_records u
      join settlement_files o on o.id = u.file_id
    where
      u.reason = 'REDELIVERED'
      and o.source = any (string_to_array($1, ','))
  ) d
  join lateral (
    select
      r.settlement_tx_id,
      r.reconciliation_type,
      r.payment_type,
      r.unique_id,
      r.short_id,
      r.connector_tx_id1,
      r.connector_tx_id2,
      r.connector_tx_id3,
      r.settlement_date
    from
      settlement_records r
    where
      r.file_id = d.file_id
      and r.line = d.line
    limit
      1
  ) r on true
where
  true
  and r.settlement_date between $2 and $3;
