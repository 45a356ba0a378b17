import type { Tx } from '../db/connect.js';
import { paymentsDueInScope, type DueSettings, type RunScope } from '../db/run-scope.js';
import { isRecordInScope, rowsInScope } from './rows-in-scope.js';

/**
 * The open discrepancies that a run tells (design 4.6): a fragment that selects `id`. The one definition
 * behind the counts and `discrepancies.csv`. They are those on
 *
 * - the records in scope;
 * - the payments due in scope, that is missing settlements;
 * - other records of the same payments, for the findings that sum over a payment's records: a settlement
 *   in scope can complete or exceed the amount of one that came nights ago, a chargeback likewise, and the
 *   finding then stands on the last of them, wherever that is.
 */
export function discrepanciesInScope(tx: Tx, scope: RunScope, due: DueSettings) {
  return tx`
    select d.id from (${rowsInScope(tx, scope, 'discrepancies')}) d where d.resolved_run is null
    union
    select d.id from discrepancies d
    where d.resolved_run is null and d.file_id is null
      and d.payment_key in (${paymentsDueInScope(tx, scope, due)})
    union
    ${onSiblings(tx, scope, ['AMOUNT_MISMATCH', 'DUPLICATE_SETTLEMENT'], ['SETTLED'])}
    union
    ${onSiblings(tx, scope, ['CHARGEBACK_EXCEEDS_PAYMENT'], ['CHARGEBACK', 'CHARGEBACK REVERSAL'])}`;
}

/** Starts from the few open findings of those codes, not from the many records in scope. */
function onSiblings(
  tx: Tx,
  scope: RunScope,
  codes: readonly string[],
  reconciliationTypes: readonly string[],
) {
  return tx`
    select d.id from discrepancies d
    join record_matches told on told.file_id = d.file_id and told.line = d.line
    join record_matches m on m.payment_key = told.payment_key
    join settlement_records r on r.file_id = m.file_id and r.line = m.line
    where d.resolved_run is null and d.code in ${tx([...codes])}
      and r.reconciliation_type in ${tx([...reconciliationTypes])} and ${isRecordInScope(tx, scope)}`;
}
