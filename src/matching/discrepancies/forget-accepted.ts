import type { Fragment, Tx } from '../fragment.js';

/** Empties the columns that note that a finding is accepted: for the `set` of an update of `discrepancies`. */
export function withoutAccepted(tx: Tx): Fragment {
  return tx`accepted_at_risk_minor = null, accepted_currency = null`;
}

/**
 * Removes the notes that findings are accepted (`src/items/settled-findings.ts`) where the payment or the candidates of
 * their record changed: a decision is bound to them too, although the finding itself may be the same. A record that was
 * never matched before has no finding.
 *
 * The findings are looked up one by one, and so are their ids, whatever the planner expects: as a join it could compare
 * each accepted finding with each record of the run.
 *
 * Reads `new_matches` and `changed_candidates`.
 */
export async function forgetAccepted(tx: Tx): Promise<void> {
  await tx`
    update discrepancies set ${withoutAccepted(tx)}
    where id = any (array(
      select d.id from (
        select n.file_id, n.line from new_matches n
        where not n.is_new
          and ((n.former_status, n.former_payment_key) is distinct from (n.status, n.payment_key)
            or (n.status = 'MULTIPLE_MATCHES'
              and (n.file_id, n.line) in (select file_id, line from changed_candidates)))
      ) n
      cross join lateral (select d.id from discrepancies d
        where d.file_id = n.file_id and d.line = n.line and d.accepted_at_risk_minor is not null offset 0) d))`;
}
