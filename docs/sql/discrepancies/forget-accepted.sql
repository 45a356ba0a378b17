-- Removes the notes that findings are accepted whose record has another payment or other candidates now.
update discrepancies
set
  accepted_at_risk_minor = null,
  accepted_currency = null
where
  id = any (
    array(
      select
        d.id
      from
        (
          select
            n.file_id,
            n.line
          from
            new_matches n
          where
            not n.is_new
            and (
              (n.former_status, n.former_payment_key) is distinct from (n.status, n.payment_key)
              or (
                n.status = 'MULTIPLE_MATCHES'
                and (n.file_id, n.line) in (
                  select
                    file_id,
                    line
                  from
                    changed_candidates
                )
              )
            )
        ) n
        cross join lateral (
          select
            d.id
          from
            discrepancies d
          where
            d.file_id = n.file_id
            and d.line = n.line
            and d.accepted_at_risk_minor is not null
          offset
            0
        ) d
    )
  );
