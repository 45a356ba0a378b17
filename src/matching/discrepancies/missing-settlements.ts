import { paymentsDueInScope, type DueSettings, type RunScope } from '../../db/run-scope.js';
import { amountText, derivedId, type Fragment, type Tx } from '../fragment.js';
import { discrepancyCodes } from './discrepancy-codes.js';
import { fullyReversed } from './reversed-payments.js';

/**
 * MISSING_SETTLEMENT, told about payments: due in scope, a success, of a type that is settled, not reversed
 * in full, and no SETTLED record is matched to it or lists it. Payments that are already told are judged
 * again whatever their age, so that one that was settled meanwhile is closed and one that was not stays.
 */
export async function collectMissingSettlements(tx: Tx, scope: RunScope, due: DueSettings): Promise<void> {
  const judged = tx`select key from (${paymentsDueInScope(tx, scope, due)}) due_now
    union select payment_key from discrepancies where code = 'MISSING_SETTLEMENT' and resolved_run is null`;
  const unsettled = tx`
    select p.key from payments p
    where p.key in (${judged}) and p.payment_type in ('DB', 'CP', 'CD', 'RF') and p.outcome = 'SUCCESS'
      and not exists (${settledBy(tx, tx`record_matches`)})
      and not exists (${settledBy(tx, tx`match_candidates`)})`;
  await tx`
    insert into found (id, code, severity, payment_key, expected, actual, difference_minor, message)
    with unsettled as materialized (${unsettled})
    select ${derivedId(tx, tx`'MISSING_SETTLEMENT:' || p.id`)}, 'MISSING_SETTLEMENT',
      ${discrepancyCodes.MISSING_SETTLEMENT.severity}, p.key, ${amountText(tx, tx`p.amount_minor`)}, '0.00',
      - p.amount_minor, format('Payment %s (%s) over %s %s of %s succeeded, but no settlement of it has arrived.',
        p.id, p.payment_type, ${amountText(tx, tx`p.amount_minor`)}, p.currency,
        (p.requested_at at time zone ${due.timezone})::date)
    from unsettled u join payments p on p.key = u.key
    where not exists (select from (${fullyReversed(tx, tx`select key from unsettled`)}) v where v.payment_key = p.key)`;
}

function settledBy(tx: Tx, table: Fragment): Fragment {
  return tx`select from ${table} m join settlement_records r on r.file_id = m.file_id and r.line = m.line
    where m.payment_key = p.key and r.reconciliation_type = 'SETTLED'`;
}
