-- Deletes candidates of records that have been decided since.
with
  deleted as (
    delete from match_candidates
    where
      ctid = any (
        array(
          select
            c.ctid
          from
            (
              select
                c.file_id,
                c.line,
                c.payment_key
              from
                new_matches n
                join match_candidates c on c.file_id = n.file_id
                and c.line = n.line
              where
                not n.is_new
                and n.former_status = 'MULTIPLE_MATCHES'
              except
              select
                k.file_id,
                k.line,
                k.payment_key
              from
                kept_hits k
                join new_matches n on n.file_id = k.file_id
                and n.line = k.line
              where
                n.status = 'MULTIPLE_MATCHES'
                and n.needs_review
                and not n.is_new
            ) gone
            cross join lateral (
              select
                c.ctid
              from
                match_candidates c
              where
                c.file_id = gone.file_id
                and c.line = gone.line
                and c.payment_key = gone.payment_key
              offset
                0
            ) c
        )
      )
    returning
      file_id,
      line,
      payment_key
  ),
  noted as (
    insert into
      changed_candidates
    select
      file_id,
      line
    from
      deleted
  )
insert into
  lost_payments
select
  payment_key
from
  deleted;
