-- Stores the payments that were added to a record with MULTIPLE_MATCHES.
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
      join new_matches n on n.file_id = k.file_id
      and n.line = k.line
    where
      n.status = 'MULTIPLE_MATCHES'
      and n.needs_review
      and not n.is_new
    except
    select
      c.file_id,
      c.line,
      c.payment_key
    from
      new_matches n
      join match_candidates c on c.file_id = n.file_id
      and c.line = n.line
    where
      not n.is_new
      and n.former_status = 'MULTIPLE_MATCHES'
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
