-- Activates the links of the records that count again.
update chargeback_links
set
  active = true
where
  ctid = any (
    array(
      select
        l.ctid
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
        ) c
        cross join lateral (
          select
            l.ctid
          from
            chargeback_links l
          where
            l.file_id = c.file_id
            and l.line = c.line
          offset
            0
        ) l
    )
  );
