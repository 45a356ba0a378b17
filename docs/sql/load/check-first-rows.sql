-- Checks whether one of the first 200 rows is stored already: the whole file is then compared before it is stored.
select
  exists (
    select
    from
      unnest($1::text[], $2::text[]) as head (day, fingerprint)
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
      ) r on r.settlement_date = head.day::date
      and r.fingerprint = head.fingerprint::uuid
      and r.occurrence = 1
  ) as known;
