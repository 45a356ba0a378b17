-- Copies the records that need a review, which all later steps read.
create temp table "review_records" on
commit
drop as
select
  n.status = 'NOT_MATCHED'
  and not n.pinned as undecided,
  r.*
from
  new_matches n
  join settlement_records r on r.file_id = n.file_id
  and r.line = n.line
  and r.file_id = any (string_to_array($1, ',')::integer[])
where
  n.needs_review
  and n.file_id = any (string_to_array($2, ',')::integer[])
union all
select
  n.status = 'NOT_MATCHED'
  and not n.pinned as undecided,
  r.*
from
  new_matches n
  cross join lateral (
    select
      r.*
    from
      settlement_records r
    where
      r.file_id = any (string_to_array($3, ',')::integer[])
      and r.file_id = n.file_id
      and r.line = n.line
    limit
      1
  ) r
where
  n.needs_review
  and n.file_id <> all (string_to_array($4, ',')::integer[]);
