-- Writes the hits of the weaker keys to the results.
update new_matches n
set
  matched_by = d.matched_by,
  status = (
    case d.found
      when 1 then 'MATCHED'
      else 'MULTIPLE_MATCHES'
    end
  )::matching_status,
  matched_through = d.matched_through,
  payment_key = case d.found
    when 1 then d.payment_key
  end,
  settled_key = case
    when d.found = 1
    and d.settles then d.payment_key
  end
from
  (
    select
      file_id,
      line,
      count(*) as found,
      min(matched_by) as matched_by,
      min(payment_key) as payment_key,
      bool_and(settles) as settles,
      case
        when bool_or(through_reference) then 'REFERENCE'
      end as matched_through
    from
      kept_hits
    group by
      file_id,
      line
  ) d
where
  n.file_id = d.file_id
  and n.line = d.line
  and n.needs_review;
