-- Computes the keys by which other deliveries of a record are found, for those that no payment leads to.
create temp table keyed_records on
commit
drop as
select
  k.file_id,
  k.line,
  k.key,
  max(k.awaited_id) as awaited_id,
  bool_and(k.is_new) as is_new
from
  (
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
      case
        when n.matched_by is distinct from 'UNIQUE_ID'
        and n.status <> 'NOT_APPLICABLE' then nullif(r.unique_id, '')
      end as awaited_id,
      n.is_new
    from
      review_records r
      join new_matches n on n.file_id = r.file_id
      and n.line = r.line
      and n.needs_review
    where
      (
        r.settlement_tx_id <> ''
        and concat(r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> ''
      )
      and (
        n.matched_by is distinct from 'UNIQUE_ID'
        or not coalesce(
          coalesce(
            n.found_type,
            (
              select
                p.payment_type
              from
                payments p
              where
                p.key = n.payment_key
            )
          ) = any (
            (
              case
                when r.reconciliation_type in ($1, $2)
                and true then string_to_array($3, ',')
                when r.reconciliation_type in ($4)
                and r.payment_type = $5 then string_to_array($6, ',')
                when r.reconciliation_type in ($7)
                and r.payment_type = $8 then string_to_array($9, ',')
                when r.reconciliation_type in ($10)
                and r.payment_type = $11 then string_to_array($12, ',')
                when true
                and r.payment_type = $13 then string_to_array($14, ',')
                when true
                and r.payment_type = $15 then string_to_array($16, ',')
                when true
                and r.payment_type = $17 then string_to_array($18, ',')
                when true
                and r.payment_type = $19 then string_to_array($20, ',')
                else string_to_array($21, ',')
              end
            )
          ),
          false
        )
      )
  ) k
group by
  k.file_id,
  k.line,
  k.key;
