-- Stores the identifiers of records that a weaker key matched: their payments may be stored later.
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
  and n.is_new
  and v.value <> ''
  and case n.matched_by
    when 'SHORT_ID' then v.identifier in ('unique_id', 'short_id')
    when 'CONNECTOR_TX_ID' then true
    when 'ATTRIBUTES' then true
    else false
  end
order by
  v.value;
