-- Removes the links by which a record has the id of one that it no longer supersedes.
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
        changed_links owner
      where
        owner.booking_id = l.booking_id
        and owner.counts
        and (owner.file_id, owner.line) <> (l.file_id, l.line)
    )
  );
