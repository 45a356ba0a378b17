import { beginOfDay, filesInScope, type DueSettings, type RunScope } from '../../db/run-scope.js';
import { addDays } from '../../values/calendar-date.js';
import type { Tx } from '../fragment.js';
import { collectRowsAgain } from '../collect-rows.js';
import { listAwaitingRecords } from './list-awaiting-records.js';
import { listChangedPayments } from './list-changed-payments.js';
import { listRelatedPayments } from './list-related-payments.js';
import { readSeenPayments, type SeenPayments } from './seen-payments.js';

/** What the choice of the records to match again depends on, besides the scope. */
export interface RecheckSettings {
  readonly due: DueSettings;
  readonly maxPaymentsPerKey: number;
}

/**
 * Stores which earlier records this run matches again because something happened to a payment that their result depends
 * on (design 4.6), whatever their age: the payment that they are matched to, its reversals, those that a weaker key or
 * a reference finds together with it, and those that they awaited. It costs a few look-ups for each such payment, and
 * nothing for the records of the others.
 *
 * Makes `pending_payments`.
 */
export async function selectOfChangedPayments(
  tx: Tx,
  scope: Extract<RunScope, { kind: 'run' }>,
  { due, maxPaymentsPerKey }: RecheckSettings,
): Promise<void> {
  const oldest = beginOfDay(tx, addDays(scope.asOf, -due.lookbackDays), due.timezone);
  const seen = (await readSeenPayments(tx, 'its keys')) ?? (await neverLooked(tx, scope));
  if (seen === null) {
    await listPendingOfCore(tx);
    return;
  }
  const ofChanges = { maxPaymentsPerKey, oldest, timezone: due.timezone };
  if (!(await listChangedPayments(tx, seen, ofChanges))) return;
  await listRelatedPayments(tx, maxPaymentsPerKey);
  await listAwaitingRecords(tx, seen, maxPaymentsPerKey);
  await collectRowsAgain(
    tx,
    'related_records',
    tx`select m.file_id, m.line from related_payments p
      cross join lateral (select m.* from record_matches m where m.payment_key = p.key offset 0) m
      where p.every_record or m.matched_by in ('SHORT_ID', 'CONNECTOR_TX_ID') or m.matched_through is not null`,
    [
      {
        name: 'related_payments',
        columns: 'key bigint, every_record boolean',
        rows: tx`select key, every_record from related_payments`,
      },
    ],
  );
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select ${scope.runId}, o.file_id, o.line from (
      select file_id, line from related_records
      union
      select c.file_id, c.line from related_payments p join match_candidates c on c.payment_key = p.key
      union
      select c.file_id, c.line from related_payments p join room_candidates c on c.payment_key = p.key
      union
      select d.file_id, d.line from changed_payments p join delivery_keys d on d.awaited_id = p.id
      union
      select file_id, line from awaiting_records) o
    where o.file_id not in (${filesInScope(tx, scope)})
    on conflict do nothing`;
}

/** If there are results of re-runs, but there was no run yet, everything has happened since. */
async function neverLooked(tx: Tx, scope: Extract<RunScope, { kind: 'run' }>): Promise<SeenPayments | null> {
  const [any] = await tx`select from record_matches limit 1`;
  if (any === undefined) return null;
  return {
    paymentKey: '0',
    change: '0',
    highestKey: '0',
    oldestTransaction: '0',
    sawAllToHighest: false,
    asOf: scope.asOf,
    latestAsOf: scope.asOf,
    settings: '',
  };
}

/** Only the core gives a pending payment its result without a note, so only its own payments have to be noted. */
async function listPendingOfCore(tx: Tx): Promise<void> {
  await tx`create temp table pending_payments (key bigint) on commit drop`;
  const [any] = await tx`select from payment_details limit 1`;
  if (any === undefined) return;
  await tx`insert into pending_payments select p.key from payments p where p.outcome = 'PENDING'`;
}
