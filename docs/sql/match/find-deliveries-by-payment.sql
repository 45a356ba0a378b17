-- Finds the records of one payment that several files delivered with other cells.
insert into
  delivery_suspects
select
  k.key,
  max(k.unique_id)
from
  (
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
      ) as key,
      r.unique_id,
      r.file_id
    from
      (
        select
          m.file_id,
          m.line
        from
          repeated_payments s
          join record_matches m on m.payment_key = s.payment_key
        where
          s.of_several_files
        union
        select
          n.file_id,
          n.line
        from
          repeated_payments s
          join new_matches n on n.payment_key = s.payment_key
        where
          s.of_several_files
      ) t
      join settlement_records r on r.file_id = t.file_id
      and r.line = t.line
  ) k
where
  k.key is not null
group by
  k.key
having
  min(k.file_id) <> max(k.file_id);
