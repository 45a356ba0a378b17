-- Reads the rejected rows in scope, to add up the amounts that they state.
select
  unnest(
    case
      when octet_length((chr(31) || q.raw_text)) <= $1::integer then array[(chr(31) || q.raw_text)]
      else array(
        select
          case
            when at + $2::integer > octet_length(b.bytes) then $3
            else $4
          end || encode(
            substring(
              b.bytes
              from
                at for $5::integer
            ),
            'hex'
          )
        from
          (
            select
              convert_to((chr(31) || q.raw_text), 'UTF8') as bytes
            offset
              0
          ) b
          cross join lateral generate_series(1, octet_length(b.bytes), $6::integer) at
        order by
          at
      )
    end
  ) as raw_text
from
  rejected_rows q
where
  q.file_id in (
    select
      id
    from
      settlement_files f
    where
      not (
        f.id in (
          select
            w.file_id
          from
            withdrawn_files w
        )
        or f.id in (
          select
            w.file_id
          from
            (
              select distinct
                on (file_id) file_id,
                kind,
                author,
                decided_at,
                reason
              from
                file_withdrawals
              order by
                file_id,
                number desc
            ) w
            join settlement_files g on g.id = w.file_id
            and g.status = 'rejected'
          where
            w.kind = 'withdraw'
        )
      )
      and status in ('loaded', 'rejected')
      and case
        when first_settlement_date is null then (received_at at time zone $7)::date between $8 and $9
        else first_settlement_date <= $10
        and last_settlement_date >= $11
      end
  )
  and not exists (
    select
    from
      row_corrections c
    where
      c.file_id = q.file_id
      and c.line = q.line
      and (
        exists (
          select
          from
            settlement_records r
          where
            r.file_id = c.file_id
            and r.line = c.line
          offset
            0
        )
        or exists (
          select
          from
            already_known_rows k
          where
            k.file_id = c.file_id
            and k.line = c.line
        )
      )
  );
