import { beginOfDay, isPaymentDueInScope, type DueSettings, type RunScope } from '../../db/run-scope.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { changedIds } from '../changed-payments/changed-ids.js';
import { isUnseen, readSeenPayments, type SeenPayments } from '../changed-payments/seen-payments.js';
import { addDays, type CalendarDate } from '../../values/calendar-date.js';
import type { RunId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import { listDueOnShards } from './due-on-shards.js';
import { withoutTableScans } from '../../db/without-table-scans.js';

/** The types of payments that a settlement is expected for. */
const typesToSettle = ['DB', 'CP', 'CD', 'RF'] as const;

/** Raised when the definition of a missing settlement changes: then the next run looks at every payment. */
const definition = 1;

/**
 * Lists in `due_payments` the payments that may have no settlement: successful and pending ones of the types that are
 * settled. Those reported as missing are among them, however old they are, unless an import gave them a later day.
 *
 * In a run these are not all payments of the look-back, nearly all of which were settled weeks ago: looking at 90 days
 * of them again cost more than the rest of the run. A payment that had its settlement when a former run looked still
 * has it, except when one of these things happened since:
 *
 * - it was stored after that, or its settlement was not due then;
 * - an import changed it, or a reversal that refers to it or did so before;
 * - it was pending (`payments_to_check`): only the core gives such a payment its result, besides imports;
 * - a record that was matched to it, or that listed it, is matched to another one now: in this run (`lost_payments`),
 *   or in a re-run, which leaves it in `payments_to_check`.
 *
 * The first run, a run of an earlier as-of date or with other settings, and every re-run look at all payments in scope.
 *
 * Reads `new_matches` and `lost_payments`. With shards, the payments that were settled on their own shard are not
 * listed.
 *
 * @returns `most`: whether most of what is stored is about these payments
 */
export async function listDuePayments(
  tx: Tx,
  scope: RunScope,
  runId: RunId,
  due: DueSettings,
): Promise<{ readonly most: boolean }> {
  await tx`insert into lost_payments
    select former_payment_key from new_matches
    where not is_new and former_payment_key is not null and former_payment_key is distinct from payment_key`;
  await tx`create temp table due_payments (key bigint, is_pending boolean, payment_type text collate "C") on commit drop`;
  const seen = scope.kind === 'run' ? await readSeenByChecks(tx, scope.asOf, settingsText(due)) : null;
  const stillDue = wasDueBy(tx, await latestAsOf(tx, scope), due);
  const isOnShards = await isDivided(tx);
  const query =
    seen === null
      ? allDue(tx, scope, due, stillDue)
      : dueSince(tx, scope, { seen, due, stillDue, isOnShards });
  // A range of an index is read, whatever the planner estimates: beyond a key of which it knows nothing, it expects a
  // third of all payments.
  const byIndex = seen !== null;
  if (isOnShards) {
    await listDueOnShards(tx, {
      query,
      byIndex,
      change: seen?.change ?? null,
      most: isMost(scope, seen),
    });
  } else {
    const store = () => tx`insert into due_payments ${query}`;
    await (byIndex ? withoutTableScans(tx, store) : store());
  }
  await tx`create unique index on pg_temp.due_payments (key)`;
  await tx`analyze due_payments`;
  if (scope.kind === 'run') await noteChecks(tx, scope, runId, due);
  else await tx`insert into payments_to_check select key from lost_payments on conflict do nothing`;
  return { most: isMost(scope, seen) };
}

/** A first run looks at most of what is stored. */
function isMost(scope: RunScope, seen: SeenPayments | null): boolean {
  return seen === null && scope.kind === 'run';
}

/** Whether a settlement of the payment `p` is expected at all. */
const expectsSettlement = (tx: Tx) =>
  tx`p.payment_type in ${tx([...typesToSettle])} and p.outcome in ('SUCCESS', 'PENDING')`;

const reported = (tx: Tx) => tx`select payment_key as key from discrepancies
    where code = 'MISSING_SETTLEMENT' and resolved_run is null`;

/**
 * The latest as-of date of this database: a run of an earlier one keeps the findings of later ones. Not part of the
 * query, because shards have no runs.
 */
async function latestAsOf(tx: Tx, { asOf }: RunScope): Promise<CalendarDate> {
  const [row] = await tx<{ latest: CalendarDate }[]>`
    select greatest(max(as_of), ${asOf}::date)::text as latest from runs`;
  return row?.latest ?? asOf;
}

/** Whether the payment `p` is due on this date, or was earlier. */
function wasDueBy(tx: Tx, date: CalendarDate, { settlementDueDays, timezone }: DueSettings): Fragment {
  return tx`p.requested_at < ${beginOfDay(tx, addDays(date, 1 - settlementDueDays), timezone)}`;
}

/** The columns of `due_payments`. The later steps take the type from there, and do not join the payments again. */
const columnsOfDue = (tx: Tx) => tx`p.key, p.outcome = 'PENDING' as is_pending, p.payment_type`;

/** What is due is one range of the payments, and only what is reported besides it is looked up, one by one. */
function allDue(tx: Tx, scope: RunScope, due: DueSettings, stillDue: Fragment): Fragment {
  const isDue = isPaymentDueInScope(tx, scope, due);
  return tx`
      select ${columnsOfDue(tx)} from payments p where ${isDue} and ${expectsSettlement(tx)}
      union all
      select ${columnsOfDue(tx)} from (${reported(tx)}) k
      cross join lateral (select p.* from payments p where p.key = k.key offset 0) p
      where not ${isDue} and ${stillDue} and ${expectsSettlement(tx)}`;
}

/**
 * The payments in scope to which something has happened since, and those reported as missing. What is new is read as
 * ranges; only what happened to older ones is looked up, one by one. Looking up a union of all keys took a quarter
 * longer, because it read each new payment twice.
 */
function dueSince(
  tx: Tx,
  scope: RunScope,
  {
    seen,
    due,
    stillDue,
    isOnShards,
  }: {
    readonly seen: SeenPayments;
    readonly due: DueSettings;
    readonly stillDue: Fragment;
    readonly isOnShards: boolean;
  },
): Fragment {
  const isDue = isPaymentDueInScope(tx, scope, due);
  const { asOf, paymentKey } = seen;
  const dayAfter = beginOfDay(tx, addDays(asOf, 1 - due.settlementDueDays), due.timezone);
  const columns = tx`p.key, p.requested_at, p.outcome, p.payment_type`;
  const payment = tx`cross join lateral (select ${columns} from payments p where p.key = k.key offset 0) p`;
  return tx`
      select ${columnsOfDue(tx)} from payments p
      where p.requested_at >= ${dayAfter} and ${isDue} and ${expectsSettlement(tx)}
      union
      select ${columnsOfDue(tx)}
      from (select ${columns} from payments p
        where p.key > ${paymentKey}::bigint and ${isUnseen(tx, seen, isOnShards)} offset 0) p
      where ${isDue} and ${expectsSettlement(tx)}
      union
      select ${columnsOfDue(tx)} from (${changedSince(tx, seen)}) k ${payment}
      where ${isDue} and ${expectsSettlement(tx)}
      union
      select ${columnsOfDue(tx)} from (${reported(tx)}) k ${payment}
      where ${stillDue} and ${expectsSettlement(tx)}`;
}

/** What the settlement of a payment can depend on, besides its own values. */
function settingsText({ timezone, settlementDueDays, lookbackDays }: DueSettings): string {
  return [definition, timezone, settlementDueDays, lookbackDays].join(' ');
}

/** What earlier runs have seen for the same checks; null if a run has to look at everything. */
async function readSeenByChecks(tx: Tx, asOf: string, settings: string): Promise<SeenPayments | null> {
  const seen = await readSeenPayments(tx, 'nothing');
  return seen !== null && seen.asOf <= asOf && seen.settings === settings ? seen : null;
}

/** The keys of older payments to which something has happened since, due or not. */
function changedSince(tx: Tx, { change }: SeenPayments): Fragment {
  const changed = changedIds(tx, change);
  return tx`
      select p.key from (${changed}) c
      cross join lateral (select p.key from payments p where p.id = c.id offset 0) p
      union
      select p.key from (${changed}) c
      cross join lateral (select p.referenced_payment_id as id from payments p where p.id = c.id offset 0) child
      cross join lateral (select p.key from payments p where p.id = child.id offset 0) p
      union
      select payment_key from payments_to_check
      union
      select key from lost_payments`;
}

/**
 * Notes how far this run has looked, and the pending payments, at which the next run looks again: those that are due,
 * and `pending_payments`.
 */
async function noteChecks(tx: Tx, scope: RunScope, runId: RunId, due: DueSettings): Promise<void> {
  const own = tx`pg_current_xact_id()`;
  // With shards, no other transaction stores payments meanwhile, whatever others do on the home server.
  const oldest = (await isDivided(tx)) ? own : tx`pg_snapshot_xmin(pg_current_snapshot())`;
  await tx`
    insert into settlement_checks (run_id, as_of, settings, last_payment_key, last_change, oldest_transaction,
      own_transaction)
    select ${runId}, ${scope.asOf}, ${settingsText(due)},
      (select coalesce(max(key), 0) from payments), (select coalesce(max(id), 0) from payment_changes),
      ${oldest}::text::bigint, ${own}::text::bigint`;
  await tx`
    delete from settlement_checks where run_id < (
      select max(earlier.run_id) from (select * from settlement_checks order by run_id desc limit 1) last
      join settlement_checks earlier on earlier.own_transaction < last.oldest_transaction)`;
  await tx`delete from payments_to_check`;
  await tx`insert into payments_to_check
    select key from due_payments where is_pending union select key from pending_payments`;
}
