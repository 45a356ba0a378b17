-- Stores those of earlier records that another key matched now.
insert into
  awaited_identifiers (file_id, line, identifier, value)
select
  r.file_id,
  r.line,
  v.identifier,
  v.value
from
  new_matches n
  join undecided_records r on r.file_id = n.file_id
  and r.line = n.line
  cross join lateral (
    select
      $1::text as identifier,
      r."unique_id" as value
    union all
    select
      $2::text as identifier,
      r."short_id" as value
    union all
    select
      $3::text as identifier,
      r."connector_tx_id1" as value
    union all
    select
      $4::text as identifier,
      r."connector_tx_id2" as value
    union all
    select
      $5::text as identifier,
      r."connector_tx_id3" as value
  ) v
where
  n.needs_review
  and not n.is_new
  and n.former_matched_by is distinct from n.matched_by
  and v.value <> ''
  and case n.matched_by
    when 'SHORT_ID' then v.identifier in ('unique_id', 'short_id')
    when 'CONNECTOR_TX_ID' then true
    when 'ATTRIBUTES' then true
    else false
  end
on conflict do nothing;
