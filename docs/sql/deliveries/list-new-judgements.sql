-- Lists what differs from the stored judgements.
create temp table new_judgements on
commit
drop as
select
  d.file_id,
  d.line,
  j.reason is null as counts,
  j.reason,
  j.other_file_id,
  j.other_line
from
  deliveries d
  left join uncounted_deliveries j on j.file_id = d.file_id
  and j.line = d.line
  left join uncounted_records u on u.file_id = d.file_id
  and u.line = d.line
where
  (j.reason, j.other_file_id, j.other_line) is distinct from (u.reason::text, u.other_file_id, u.other_line);
