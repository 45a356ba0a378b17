-- Reads them in this order, to judge which of them count: equal amounts are compared first.
select
  d.number as "group",
  d.place,
  d.rank,
  d.file_id as "fileId",
  d.line,
  d.succeeded,
  d.amount_minor || ' ' || d.currency as money,
  case
    when d.decision = 'supersede' then 'supersede'
    when d.decision = 'keep-both' then 'keep'
    when d.mode = 'replace' then 'supersede'
    when d.mode = 'add' then 'keep'
    else 'ask'
  end as outcome,
  case
    when d.decision = 'supersede' then d.decision_number::text
  end as supersede,
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
