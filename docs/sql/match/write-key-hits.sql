-- Writes the results together with the hits of the weaker keys, in a file without UniqueIDs.
create temp table new_matches on
commit
drop as
select
  n.file_id,
  n.line,
  n.reconciliation_type,
  n.pinned,
  case
    when d.file_id is null then n."status"
    else d."status"
  end as "status",
  case
    when d.file_id is null then n."matched_by"
    else d."matched_by"
  end as "matched_by",
  case
    when d.file_id is null then n."matched_through"
    else d."matched_through"
  end as "matched_through",
  case
    when d.file_id is null then n."payment_key"
    else d."payment_key"
  end as "payment_key",
  n.is_new,
  n.former_status,
  n.former_matched_by,
  n.former_matched_through,
  n.former_payment_key,
  n.needs_review,
  n.found_type,
  case
    when d.file_id is null then n."settled_key"
    else d."settled_key"
  end as "settled_key"
from
  former_matches n
  left join (
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
  ) d on d.file_id = n.file_id
  and d.line = n.line;
