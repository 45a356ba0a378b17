-- Stores the payments of each new record with MULTIPLE_MATCHES.
insert into
  match_candidates (file_id, line, payment_key)
select
  k.file_id,
  k.line,
  k.payment_key
from
  kept_hits k
  join new_matches n on n.file_id = k.file_id
  and n.line = k.line
where
  n.status = 'MULTIPLE_MATCHES'
  and n.needs_review
  and n.is_new;
