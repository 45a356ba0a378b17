-- Deletes the notes of runs that no later run needs.
delete from settlement_checks
where
  run_id < (
    select
      max(earlier.run_id)
    from
      (
        select
          *
        from
          settlement_checks
        order by
          run_id desc
        limit
          1
      ) last
      join settlement_checks earlier on earlier.own_transaction < last.oldest_transaction
  );
