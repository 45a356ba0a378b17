-- Deactivates the links of the records that do not count.
update chargeback_links
set
  active = false
where
  ctid = any (
    array(
      select
        l.ctid
      from
        (
          select
            file_id,
            line
          from
            changed_links
          where
            not counts
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
  )
  and active;
