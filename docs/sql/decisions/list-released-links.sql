-- Lists the chargeback ids of the redecided records that lost their payment, and of their reversals.
create temp table released_links on
commit
drop as
with
  moved as (
    select
      l.*
    from
      (
        select
          file_id,
          line
        from
          redecided_records
        union
        select
          file_id,
          line
        from
          changed_records
        where
          counts
      ) x
      join new_matches n on n.file_id = x.file_id
      and n.line = x.line
      join chargeback_links l on l.file_id = x.file_id
      and l.line = x.line
    where
      case n.status
        when 'MATCHED' then n.payment_key <> l.payment_key
        when 'NOT_APPLICABLE' then not exists (
          select
          from
            chargeback_links other
          where
            other.chargeback_id = l.chargeback_id
            and other.kind = l.kind
            and other.active
            and (other.file_id, other.line) <> (l.file_id, l.line)
        )
        else true
      end
  )
select
  *
from
  moved
union
select
  reversal.*
from
  moved m
  join chargeback_links reversal on reversal.chargeback_id = m.chargeback_id
  and reversal.kind = 'CHARGEBACK REVERSAL'
where
  m.kind = 'CHARGEBACK'
  and not exists (
    select
    from
      chargeback_links other
    where
      other.chargeback_id = m.chargeback_id
      and other.kind = m.kind
      and other.active
      and (other.file_id, other.line) <> (m.file_id, m.line)
  );
