-- Reads them in this order, to judge which of them count: equal amounts are compared first.
select
  d.number as "group",
  d.place,
  d.rank,
  d.file_id as "fileId",
  d.line,
  d.succeeded,
  d.amount_minor || ' ' || d.currency as money,
  case d.mode
    when 'replace' then 'supersede'
    when 'add' then 'keep'
    else 'ask'
  end as setting,
  case d.decision
    when 'supersede' then 'supersede'
    else 'keep'
  end as outcome,
  d.decision_number::text as decision,
  s.decided,
  s.undone,
  b.places as "broughtAgain"
from
  (
    select
      *
    from
      deliveries
    where
      (number, place, rank) > ($1, $2, $3)
    order by
      number,
      place,
      rank
    limit
      $4
  ) d
  left join lateral (
    select
      array_agg(
        p.place
        order by
          p.place
      ) as places
    from
      carriers c
      cross join lateral (
        select
          p.place
        from
          delivery_places p
        where
          p.number = d.number
          and p.by_file_id = c.by_file_id
        offset
          0
      ) p
    where
      c.file_id = d.file_id
      and c.line = d.line
      and c.by_file_id > d.by_file_id
  ) b on true
  left join lateral (
    select
      array_agg(
        x.number::text
        order by
          x.number
      ) as decided,
      array_agg(
        (
          select
            u.number
          from
            decisions u
          where
            u.kind = 'undo'
            and u.refers_to = x.number
        )::text
        order by
          x.number
      ) as undone
    from
      decisions x
    where
      x.file_id = d.file_id
      and x.line = d.line
      and x.kind in ('supersede', 'keep-both')
      and d.decision = 'keep-both'
  ) s on d.decision = 'keep-both'
order by
  d.number,
  d.place,
  d.rank;
