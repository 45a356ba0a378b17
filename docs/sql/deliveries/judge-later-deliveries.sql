-- Writes whether the later delivery counts or waits for a decision.
update deliveries d
set
  counts = p.outcome is distinct from 'ask',
  reason = case p.outcome
    when 'ask' then 'REDELIVERED'
  end,
  other_file_id = case p.outcome
    when 'ask' then p.other_file_id
  end,
  other_line = case p.outcome
    when 'ask' then p.other_line
  end
from
  deliveries l
  left join pairs p on p.file_id = l.file_id
  and p.line = l.line
where
  l.place = $1
  and d.file_id = l.file_id
  and d.line = l.line;
