-- Finds the replaced records that a later file brings again as they were.
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
    select
      k.record_file_id as file_id,
      k.record_line as line
    from
      already_known_rows k
    where
      k.file_id in (
        select
          f.id
        from
          settlement_files f
        where
          f.finished_run_id = $1
          and f.status = 'loaded'
      )
    intersect
    select
      u.file_id,
      u.line
    from
      uncounted_records u
    where
      u.reason = 'SUPERSEDED'
    union
    select
      u.other_file_id,
      u.other_line
    from
      uncounted_records u
    where
      u.reason = 'SUPERSEDED'
      and u.other_file_id in (
        select
          f.id
        from
          settlement_files f
        where
          f.finished_run_id = $2
          and f.status = 'loaded'
      )
  ) k
  join lateral (
    select
      r.settlement_tx_id,
      r.reconciliation_type,
      r.payment_type,
      r.unique_id,
      r.short_id,
      r.connector_tx_id1,
      r.connector_tx_id2,
      r.connector_tx_id3
    from
      settlement_records r
    where
      r.file_id = k.file_id
      and r.line = k.line
    limit
      1
  ) r on true;
