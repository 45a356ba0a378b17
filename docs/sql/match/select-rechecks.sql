-- Selects the earlier records that are still open, so that this run matches and checks them again.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  o.file_id,
  o.line
from
  (
    select
      o.file_id,
      o.line
    from
      (
        select
          file_id,
          line
        from
          record_matches
        where
          status in ('NOT_MATCHED', 'MULTIPLE_MATCHES')
          or matched_by = 'ATTRIBUTES'
        union
        select
          file_id,
          line
        from
          discrepancies
        where
          resolved_run is null
          and (
            code in ('REVERSAL_WITHOUT_CHARGEBACK', 'CHARGEBACK_BOOKED_TWICE', 'TYPE_MISMATCH')
            or (
              code = 'PAYMENT_NOT_SUCCESSFUL'
              and actual = 'PENDING'
            )
          )
      ) o
    where
      case
        when o.file_id in (
          select
            f.id
          from
            settlement_files f
          where
            f.status = 'loaded'
            and f.first_settlement_date >= ($2::date - $3::int)
        ) then true
        else coalesce(
          (
            select
              r.settlement_date
            from
              settlement_records r
            where
              r.file_id = any (string_to_array($4, ',')::integer[])
              and r.file_id = o.file_id
              and r.line = o.line
          ) >= ($5::date - $6::int),
          false
        )
      end
  ) o
where
  o.file_id not in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $7
      and f.status = 'loaded'
  )
on conflict do nothing;
