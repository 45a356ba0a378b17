import type { PendingQuery, Row } from 'postgres';
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
 * Joins `p`, the payment of a finding. A range reads only the payments that its findings name: its records are a part of
 * their files, so the server expects many times the findings and would read every payment that is stored.
 */
export function joinPayment(tx: Tx, scope: RunScope, key: PendingQuery<Row[]>) {
  return scope.kind === 'run'
    ? tx`left join payments p on p.key = ${key}`
    : tx`left join lateral (select p.* from payments p where p.key = ${key} offset 0) p on true`;
}

/**
 * Missing settlements. A run reports most of the open ones, and starts with them; a range is about few days, and starts
 * with their payments.
 *
 * The joins are outer joins whose condition is only known afterwards (`coalesce`), because the server then has two
 * plans left, and both are bounded: a hash join, or one look-up by key for each row of the first table. An inner join
 * could also find all missing settlements again for each payment, by an index on another condition; look-ups alone
 * (`offset 0`) cost a run with 250,000 missing settlements a second for each of its two statements.
 */
function onDuePayments(tx: Tx, scope: RunScope, due: DueSettings) {
  return scope.kind === 'run'
    ? tx`select d.id from discrepancies d left join payments p on p.key = d.payment_key
        where d.resolved_run is null and d.file_id is null
          and coalesce(${isPaymentDueInScope(tx, scope, due)}, false)`
    : tx`select d.id from payments p left join discrepancies d on d.payment_key = p.key
        where ${isPaymentDueInScope(tx, scope, due)}
          and coalesce(d.id is not null and d.file_id is null and d.resolved_run is null, false)`;
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
