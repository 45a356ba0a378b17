-- Removes the links of the reversals that count again but whose chargeback another reversal has now.
with
  forgotten as (
    delete from chargeback_links l
    where
      l.ctid = any (
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
                counts
                and kind = 'CHARGEBACK REVERSAL'
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
      and not l.active
    returning
      l.file_id,
      l.line,
      l.chargeback_id,
      l.booking_id
  ),
  former as (
    select
      file_id,
      line,
      chargeback_id,
      booking_id
    from
      forgotten
    union
    select
      i.file_id,
      i.line,
      i.chargeback_id,
      i.booking_id
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
      )
  ),
  held as (
    select
      booking_id
    from
      former
    intersect
    select
      booking_id
    from
      chargeback_links
    where
      active
  )
insert into
  former_ids
select
  file_id,
  line,
  chargeback_id,
  case
    when rank = 1
    and booking_id not in (
      select
        booking_id
      from
        held
    ) then booking_id
  end
from
  (
    select
      *,
      row_number() over (
        partition by
          booking_id
        order by
          file_id,
          line
      ) as rank
    from
      former
  ) f;
