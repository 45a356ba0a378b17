-- Lists the payments to which something may have happened since the last run: new, changed and pending ones.
create temp table "looked_at_payments" on
commit
drop as
select
  c.happened,
  (
    (
      p.requested_at < $1::timestamptz
      and (
        coalesce(
          (
            select
              true
            from
              delivery_keys d
            where
              d.awaited_id = p.id
            limit
              1
          ),
          false
        )
        or coalesce(
          (
            select
              true
            from
              payments o
            where
              o.referenced_payment_id = p.id
              and o.key <= $2::bigint
            limit
              1
          ),
          false
        )
      )
    )
    or p.key in (
      select
        key
      from
        awaited_payments
    )
  ) as is_relevant,
  p.key,
  p.id,
  p.short_id,
  p.connector_tx_id1,
  p.connector_tx_id2,
  p.connector_tx_id3,
  p.referenced_payment_id,
  p.payment_type,
  p.outcome = 'PENDING' as is_pending,
  p.requested_at
from
  (
    values
      ('NEW'::text)
  ) c (happened)
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      (
        p.key > $3::bigint
        and (
          p.key > $4::bigint
          or age (p.xmin) <= (
            select
              pg_current_xact_id()::text::bigint - $5::bigint
          )
        )
      )
    offset
      0
  ) p
where
  p.payment_type in ($6, $7, $8, $9, $10, $11)
  and (
    (
      (
        p.requested_at < $12::timestamptz
        and (
          coalesce(
            (
              select
                true
              from
                delivery_keys d
              where
                d.awaited_id = p.id
              limit
                1
            ),
            false
          )
          or coalesce(
            (
              select
                true
              from
                payments o
              where
                o.referenced_payment_id = p.id
                and o.key <= $13::bigint
              limit
                1
            ),
            false
          )
        )
      )
      or p.key in (
        select
          key
        from
          awaited_payments
      )
    )
    or p.referenced_payment_id is not null
    or p.outcome = 'PENDING'
  )
union all
select
  c.happened,
  true as is_relevant,
  p.key,
  p.id,
  p.short_id,
  p.connector_tx_id1,
  p.connector_tx_id2,
  p.connector_tx_id3,
  p.referenced_payment_id,
  p.payment_type,
  p.outcome = 'PENDING' as is_pending,
  p.requested_at
from
  (
    select
      'CHANGED'::text as happened,
      id
    from
      (
        select
          payment_id as id
        from
          payment_changes
        where
          id > $14::bigint
        union
        select
          old_value
        from
          payment_changes
        where
          id > $15::bigint
          and column_name = 'ReferencedPaymentId'
      ) i
    where
      id is not null
  ) c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.id = c.id
    offset
      0
  ) p
union all
select
  c.happened,
  true as is_relevant,
  p.key,
  p.id,
  p.short_id,
  p.connector_tx_id1,
  p.connector_tx_id2,
  p.connector_tx_id3,
  p.referenced_payment_id,
  p.payment_type,
  p.outcome = 'PENDING' as is_pending,
  p.requested_at
from
  (
    select
      'DECIDED'::text as happened,
      payment_key
    from
      payments_to_check
  ) c
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.key = c.payment_key
    offset
      0
  ) p;
