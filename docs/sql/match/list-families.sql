-- Lists for each of those payments the ancestors and descendants whose type fits a record.
insert into
  families
with recursive
  kinds as (
    select distinct
      r.reconciliation_type,
      r.payment_type
    from
      misfits m
      cross join lateral (
        select
          r.reconciliation_type,
          r.payment_type
        from
          review_records r
        where
          r.file_id = m.file_id
          and r.line = m.line
        offset
          0
      ) r
  ),
  fitting as (
    select
      p.key
    from
      family_tree p
    where
      exists (
        select
        from
          kinds r
        where
          coalesce(
            p.payment_type = any (
              (
                case
                  when r.reconciliation_type in ($1, $2)
                  and true then string_to_array($3, ',')
                  when r.reconciliation_type in ($4)
                  and r.payment_type = $5 then string_to_array($6, ',')
                  when r.reconciliation_type in ($7)
                  and r.payment_type = $8 then string_to_array($9, ',')
                  when r.reconciliation_type in ($10)
                  and r.payment_type = $11 then string_to_array($12, ',')
                  when true
                  and r.payment_type = $13 then string_to_array($14, ',')
                  when true
                  and r.payment_type = $15 then string_to_array($16, ',')
                  when true
                  and r.payment_type = $17 then string_to_array($18, ',')
                  when true
                  and r.payment_type = $19 then string_to_array($20, ',')
                  else string_to_array($21, ',')
                end
              )
            ),
            false
          )
      )
  ),
  upwards (payment_key, key) as (
    select
      key,
      key
    from
      fitting
    union
    select
      u.payment_key,
      t.parent_key
    from
      upwards u
      cross join lateral (
        select
          t.parent_key
        from
          family_tree t
        where
          t.key = u.key
        offset
          0
      ) t
    where
      t.parent_key is not null
  ),
  downwards (payment_key, key) as (
    select
      key,
      key
    from
      fitting
    union
    select
      d.payment_key,
      t.key
    from
      downwards d
      cross join lateral (
        select
          t.key
        from
          family_tree t
        where
          t.parent_key = d.key
        offset
          0
      ) t
  )
select
  m.key,
  m.payment_key
from
  (
    select
      *
    from
      upwards
    union
    select
      *
    from
      downwards
  ) m
where
  m.key in (
    select
      payment_key
    from
      misfits
  );
