-- Checks whether another part holds a record of the file that was just copied; only if its dates overlap.
select
  exists (
    select
    from
      settlement_records n
      join (
        select
          *
        from
          "settlement_records_N"
        union all
        select
          *
        from
          "settlement_records_N"
      ) r on r.settlement_date = n.settlement_date
      and r.fingerprint = n.fingerprint
      and r.occurrence = n.occurrence
    where
      n.file_id = $1
  ) as known;
