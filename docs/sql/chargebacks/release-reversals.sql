-- Removes the links of the reversals that count again but whose chargeback another reversal has now.
with
  forgotten as (
    delete from chargeback_links l using changed_links c
    where
      c.counts
      and c.kind = 'CHARGEBACK REVERSAL'
      and not l.active
      and l.file_id = c.file_id
      and l.line = c.line
    returning
      l.file_id,
      l.line,
      l.chargeback_id
  )
insert into
  former_ids
select
  file_id,
  line,
  chargeback_id
from
  forgotten
union
select
  i.file_id,
  i.line,
  i.chargeback_id
from
  inherited_links i
where
  i.kind = 'CHARGEBACK REVERSAL'
  and not exists (
    select
    from
      chargeback_links l
    where
      l.file_id = i.file_id
      and l.line = i.line
  );
