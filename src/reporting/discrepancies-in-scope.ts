import {
  openFindingsInScope,
  isPaymentDueInScope,
  type DueSettings,
  type RunScope,
} from '../db/run-scope.js';
import type { Tx } from '../db/client.js';
import { paymentWideSums } from '../findings/discrepancy-codes.js';
import { isRecordInScope } from './rows-in-scope.js';

/**
 * The open discrepancies that a run reports (design 4.6): a fragment that selects `id`. The one definition
 * behind the counts and `discrepancies.csv`. They are those on
 *
 * - the records in scope;
 * - the payments due in scope, which are missing settlements;
 * - other records of the same payments, for the findings that sum over a payment's records: a settlement
 *   in scope can complete or exceed the amount together with a record of an earlier run, a chargeback likewise, and the
 *   finding is then about the last of these records, whichever file it is in.
 */
export function discrepanciesInScope(tx: Tx, scope: RunScope, due: DueSettings) {
  return tx`
    select d.id from (${openFindingsInScope(tx, scope)}) d
    union
    ${onDuePayments(tx, scope, due)}
    ${paymentWideSums.map((sums) => tx`union ${onSiblings(tx, scope, sums)}`)}`;
}

/**
 * Missing settlements: the payment of each open one is looked up. A re-run once looked up the finding of each payment of
 * its range instead. The planner then expected as many findings as payments, and read the findings of all years for a
 * week, each with its record. `offset 0`: see {@link openFindingsInScope}.
 */
function onDuePayments(tx: Tx, scope: RunScope, due: DueSettings) {
  return tx`select d.id from discrepancies d
    cross join lateral (select p.requested_at from payments p where p.key = d.payment_key offset 0) p
    where d.resolved_run is null and d.file_id is null and ${isPaymentDueInScope(tx, scope, due)}`;
}

/**
 * Starts with the few open findings of those codes, not with the many records in scope. `offset 0`: see
 * {@link openFindingsInScope}.
 */
function onSiblings(
  tx: Tx,
  scope: RunScope,
  { codes, reconciliationTypes }: (typeof paymentWideSums)[number],
) {
  return tx`
    select d.id from discrepancies d
    join record_matches own on own.file_id = d.file_id and own.line = d.line
    join record_matches m on m.payment_key = own.payment_key
    cross join lateral (select r.file_id, r.line, r.reconciliation_type, r.settlement_date
      from settlement_records r where r.file_id = m.file_id and r.line = m.line offset 0) r
    where d.resolved_run is null and d.code in ${tx([...codes])}
      and r.reconciliation_type in ${tx([...reconciliationTypes])} and ${isRecordInScope(tx, scope)}`;
}
