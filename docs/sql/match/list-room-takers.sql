-- Lists the records that are matched to these payments without asking for room.
insert into
  room_takers
select
  file_id,
  line,
  payment_key
from
  new_matches
where
  payment_key in (
    select
      payment_key
    from
      room_payments
  )
union all
(
  select
    m.file_id,
    m.line,
    m.payment_key
  from
    room_payments s
    join record_matches m on m.payment_key = s.payment_key
  except
  select
    file_id,
    line,
    former_payment_key
  from
    new_matches
  where
    not is_new
    and former_payment_key in (
      select
        payment_key
      from
        room_payments
    )
  except
  select
    m.file_id,
    m.line,
    m.payment_key
  from
    (
      select
        m.*
      from
        room_payments s
        join record_matches m on m.payment_key = s.payment_key
      offset
        0
    ) m
  where
    exists (
      select
      from
        room_candidates c
      where
        c.file_id = m.file_id
        and c.line = m.line
      offset
        0
    )
);
