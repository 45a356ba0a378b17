-- Stores the payments of each record with MULTIPLE_MATCHES.
with
  added as (
    insert into
      match_candidates (file_id, line, payment_key)
    select
      k.file_id,
      k.line,
      k.payment_key
    from
      kept_hits k
      join new_matches n using (file_id, line)
    where
      n.status = 'MULTIPLE_MATCHES'
      and n.needs_review
    on conflict do nothing
    returning
      file_id,
      line
  )
insert into
  changed_candidates
select
  file_id,
  line
from
  added;
