-- Lists the payments of SETTLED records to which several are left, and whether each has room.
insert into
  contested
select
  k.file_id,
  k.line,
  k.payment_key,
  x.has_room
from
  kept_hits k
  join new_matches n on n.file_id = k.file_id
  and n.line = k.line
  and n.needs_review
  and n.status = 'MULTIPLE_MATCHES'
  and n.reconciliation_type = 'SETTLED'
  left join rooms x on x.payment_key = k.payment_key;
