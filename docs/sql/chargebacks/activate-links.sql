-- Activates the links of the records that count again.
update chargeback_links l
set
  active = true
from
  (
    select distinct
      on (c.chargeback_id, c.kind) c.file_id,
      c.line
    from
      changed_links c
    where
      c.counts
      and not exists (
        select
        from
          chargeback_links taken
        where
          taken.chargeback_id = c.chargeback_id
          and taken.kind = c.kind
          and taken.active
      )
    order by
      c.chargeback_id,
      c.kind,
      c.file_id,
      c.line
  ) back
where
  l.file_id = back.file_id
  and l.line = back.line;
