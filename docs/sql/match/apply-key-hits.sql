-- Writes the hits of the weaker keys to the results.
update new_matches n
set
  matched_by = d.matched_by,
  status = d.status,
  matched_through = d.matched_through,
  payment_key = d.payment_key,
  settled_key = d.settled_key
from
  (
    select
      file_id,
      line,
      min(matched_by) as matched_by,
      (
        case count(*)
          when 1 then 'MATCHED'
          else 'MULTIPLE_MATCHES'
        end
      )::matching_status as status,
      case
        when bool_or(through_reference) then 'REFERENCE'
      end as matched_through,
      case count(*)
        when 1 then min(payment_key)
      end as payment_key,
      case
        when count(*) = 1
        and bool_and(settles) then min(payment_key)
      end as settled_key
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
