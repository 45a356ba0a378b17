-- Removes the links by which a record has the id of one that it no longer supersedes.
with
  removed as (
    delete from chargeback_links l using changed_records c,
    settlement_records r
    where
      l.file_id = c.file_id
      and l.line = c.line
      and r.file_id = c.file_id
      and r.line = c.line
      and l.booking_id <> left(
        encode(
          sha256(
            convert_to(
              case l.kind
                when 'CHARGEBACK' then 'chargeback:'
                else 'chargeback-reversal:'
              end || r.fingerprint || ':' || r.occurrence,
              'UTF8'
            )
          ),
          'hex'
        ),
        32
      )
      and (
        exists (
          select
          from
            uncounted_records u
          where
            u.file_id = l.file_id
            and u.line = l.line
            and u.reason = 'REDELIVERED'
        )
        or exists (
          select
          from
            changed_links former
            join settlement_records o on o.file_id = former.file_id
            and o.line = former.line
          where
            former.booking_id = l.booking_id
            and former.counts
            and (former.file_id, former.line) <> (l.file_id, l.line)
            and (
              former.booking_id = left(
                encode(
                  sha256(
                    convert_to(
                      case l.kind
                        when 'CHARGEBACK' then 'chargeback:'
                        else 'chargeback-reversal:'
                      end || o.fingerprint || ':' || o.occurrence,
                      'UTF8'
                    )
                  ),
                  'hex'
                ),
                32
              )
              or (former.file_id, former.line) < (l.file_id, l.line)
            )
        )
      )
    returning
      l.file_id,
      l.line
  )
insert into
  removed_links
select
  file_id,
  line
from
  removed;
