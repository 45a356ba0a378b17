-- Lists the links and unlinks by people that are in effect; only if there ever was one.
create temp table manual_links on
commit
drop as
select
  file_id,
  line,
  kind,
  payment_key
from
  (
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
          and true
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
  ) d
where
  kind in ('link', 'unlink');
