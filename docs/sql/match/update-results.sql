-- Stores the results that changed, and keeps the former ones.
with
  changed as (
    update record_matches m
    set
      status = n.status,
      matched_by = n.matched_by,
      matched_through = n.matched_through,
      payment_key = n.payment_key,
      run_id = $1
    from
      new_matches n
    where
      m.file_id = n.file_id
      and m.line = n.line
      and not n.is_new
      and (n.former_status, n.former_matched_by, n.former_matched_through, n.former_payment_key) is distinct from (n.status, n.matched_by, n.matched_through, n.payment_key)
    returning
      n.file_id,
      n.line,
      n.former_status as status,
      n.former_matched_by as matched_by,
      n.former_matched_through as matched_through,
      n.former_payment_key as payment_key
  )
insert into
  match_changes (file_id, line, run_id, status, matched_by, matched_through, payments)
select
  m.file_id,
  m.line,
  $2,
  m.status,
  m.matched_by,
  m.matched_through,
  (
    case m.status
      when 'MATCHED' then (
        select
          paid.id
        from
          payments paid
        where
          paid.key = m.payment_key
      )
      when 'MULTIPLE_MATCHES' then (
        select
          string_agg(
            paid.id,
            ','
            order by
              paid.id collate "C"
          )
        from
          match_candidates c
          join payments paid on paid.key = c.payment_key
        where
          c.file_id = m.file_id
          and c.line = m.line
      )
    end
  )
from
  changed m
on conflict do nothing;
