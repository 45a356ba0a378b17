-- Lists what differs from the stored judgements.
create temp table new_judgements on
commit
drop as
select
  d.file_id,
  d.line,
  d.counts,
  d.reason,
  d.other_file_id,
  d.other_line
from
  deliveries d
  left join uncounted_records u on u.file_id = d.file_id
  and u.line = d.line
where
  (d.reason, d.other_file_id, d.other_line) is distinct from (u.reason::text, u.other_file_id, u.other_line);
