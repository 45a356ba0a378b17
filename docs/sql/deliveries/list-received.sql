-- Lists the deliveries of each source with the decision about each and the setting of the source.
create temp table received_deliveries on
commit
drop as
select
  dense_rank() over (
    order by
      m.number,
      f.source
  )::integer as number,
  f.source,
  m.key,
  m.file_id,
  m.line,
  m.succeeded,
  m.amount_minor,
  m.currency,
  c.by_file_id,
  row_number() over (
    partition by
      m.number,
      f.source
    order by
      m.settlement_date,
      m.fingerprint,
      m.occurrence,
      m.file_id,
      m.line
  )::integer as rank,
  'ask'::text as mode,
  d.kind::text as decision,
  d.number as decision_number
from
  delivery_members m
  cross join lateral (
    select
      c.by_file_id
    from
      carriers c
    where
      c.file_id = m.file_id
      and c.line = m.line
    order by
      c.by_file_id
    limit
      1
  ) c
  join settlement_files f on f.id = c.by_file_id
  left join lateral (
    select
      file_id,
      line,
      kind,
      payment_key,
      number
    from
      (
        select
          d.file_id,
          d.line,
          d.kind,
          d.payment_key,
          d.number,
          last_value(d.kind) over of_record as last_kind,
          last_value(d.number) over of_record as last_number,
          max(d.number) filter (
            where
              d.kind = 'link'
          ) over (
            partition by
              d.file_id,
              d.line,
              d.payment_key
          ) as linked_at
        from
          decisions d
        where
          d.kind in ('link', 'unlink', 'supersede', 'keep-both')
          and d.file_id = m.file_id
          and d.line = m.line
          and (
            select
              u.number
            from
              decisions u
            where
              u.kind = 'undo'
              and u.refers_to = d.number
          ) is null
        window
          of_record as (
            partition by
              d.file_id,
              d.line,
              d.kind in ('link', 'unlink')
            order by
              d.number rows between unbounded preceding
              and unbounded following
          )
      ) d
    where
      case d.kind
        when 'unlink' then d.last_kind = 'unlink'
        and d.number > coalesce(d.linked_at, 0)
        else d.number = d.last_number
      end
  ) d on d.kind in ('supersede', 'keep-both');
