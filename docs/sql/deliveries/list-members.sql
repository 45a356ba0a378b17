-- Lists the deliveries of each of these records.
create temp table delivery_members on
commit
drop as
select
  g.number,
  g.key,
  r.file_id,
  r.line,
  r.settlement_status = 'SUCCESS' as succeeded,
  r.amount_minor,
  r.currency,
  r.settlement_date,
  r.fingerprint,
  r.occurrence,
  coalesce(u.reason = 'WITHDRAWN', false) as withdrawn
from
  (
    select
      file_id,
      line
    from
      delivery_candidates
  ) c
  join settlement_records r on r.file_id = c.file_id
  and r.line = c.line
  join delivery_groups g on g.key = (
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
  )
  left join lateral (
    select
      u.reason
    from
      uncounted_records u
    where
      u.file_id = r.file_id
      and u.line = r.line
    offset
      0
  ) u on true;
