import type { CalendarDate } from '../../values/calendar-date.js';
import { beginOfDay } from '../../db/run-scope.js';
import { isDivided } from '../../db/shards/is-divided.js';
import type { ShardInput } from '../../db/shards/on-shards.js';
import type { Fragment, Tx } from '../fragment.js';
import { candidateTypes } from '../type-fit.js';
import { changedIdColumns, changedIds } from './changed-ids.js';
import { collectRowsAgain } from '../collect-rows.js';
import { listAwaitedPayments } from './list-awaited-payments.js';
import { relatedColumns } from './list-related-payments.js';
import { isUnseen, type SeenPayments } from './seen-payments.js';
import { withoutTableScans } from '../../db/without-table-scans.js';

/**
 * Lists in `changed_payments` the payments to which something happened since the last run, as far as the result of a
 * record that was matched before may depend on them:
 *
 * - those that an import changed, and those to which they referred before;
 * - those that were pending (`payments_to_check`) and have a result now: besides imports, only the core gives one;
 * - new ones (`is_new`) that have an identifier of an earlier record which is matched to another payment
 *   (`awaited_payments`);
 * - new ones that were made before the as-of date of a former run, if an earlier record names them or an earlier
 *   payment refers to them (with shards, all that were made before it);
 * - other new ones that refer to a payment which the last run saw: captures, refunds and reversals (`only_family`).
 *
 * Other new payments are not compared with what is stored: their settlement is yet to come, and looking up the
 * payments of the same identifiers, for a million of them, would take longer than the rest of the run.
 *
 * Lists in `changed_parents` the payments to which they refer, and in `pending_payments` the pending payments at which
 * the next run has to look again.
 *
 * @returns whether there are any changed ones
 */
export async function listChangedPayments(
  tx: Tx,
  seen: SeenPayments,
  { maxPaymentsPerKey, oldest, timezone }: { maxPaymentsPerKey: number; oldest: Fragment; timezone: string },
): Promise<boolean> {
  const { paymentKey, change } = seen;
  const isOnShards = await isDivided(tx);
  const look = (isRelevant: Fragment) => tx`
    select c.happened, ${isRelevant} as is_relevant, p.key, p.id, p.short_id, p.connector_tx_id1, p.connector_tx_id2, p.connector_tx_id3,
      p.referenced_payment_id, p.payment_type, p.outcome = 'PENDING' as is_pending, p.requested_at`;
  const payment = (condition: Fragment) =>
    tx`cross join lateral (select p.* from payments p where ${condition} offset 0) p`;
  const isLate = madeBefore(tx, seen.latestAsOf, timezone);
  const isNew = tx`(p.key > ${paymentKey}::bigint and ${isUnseen(tx, seen, isOnShards)})`;
  const hasAwaited = await listAwaitedPayments(tx, { maxPaymentsPerKey, isNew, isLate });
  const late = isOnShards ? isLate : tx`(${isLate} and ${isNamed(tx, seen)})`;
  const isRelevant = hasAwaited ? tx`(${late} or p.key in (select key from awaited_payments))` : late;
  const query = tx`
    ${look(isRelevant)} from (values ('NEW'::text)) c (happened)
    ${payment(isNew)}
    where p.payment_type in ${tx([...candidateTypes])}
      and (${isRelevant} or p.referenced_payment_id is not null or p.outcome = 'PENDING')
    union all
    ${look(tx`true`)} from (select 'CHANGED'::text as happened, id from (${changedIds(tx, change)}) i where id is not null) c
    ${payment(tx`p.id = c.id`)}
    union all
    ${look(tx`true`)} from (select 'DECIDED'::text as happened, payment_key from payments_to_check) c
    ${payment(tx`p.key = c.payment_key`)}`;
  // A range of an index is read, whatever the planner estimates.
  await withoutTableScans(tx, () =>
    collectRowsAgain(tx, 'looked_at_payments', query, [
      {
        name: 'payment_changes',
        columns: changedIdColumns,
        rows: tx`select id, payment_id, column_name, old_value from payment_changes where id > ${change}::bigint`,
      },
      {
        name: 'payments_to_check',
        columns: 'payment_key bigint',
        rows: tx`select payment_key from payments_to_check`,
      },
      ...(hasAwaited ? [awaitedInput(tx)] : []),
    ]),
  );
  await tx`create temp table pending_payments on commit drop as
    select distinct p.key from looked_at_payments p
    where p.is_pending and p.requested_at >= ${oldest}`;
  return keepChanged(tx, seen);
}

function awaitedInput(tx: Tx): ShardInput {
  return { name: 'awaited_payments', columns: 'key bigint', rows: tx`select key from awaited_payments` };
}

/** Whether payment `p` was made before that date. */
function madeBefore(tx: Tx, date: CalendarDate, timezone: string): Fragment {
  return tx`p.requested_at < ${beginOfDay(tx, date, timezone)}`;
}

/**
 * Whether a record that was not matched by it names payment `p`, or an earlier payment refers to it. What other records
 * found does not depend on it, unless they await it. When each payment that was stored late was looked at, a million of
 * them, as of an earlier year, took minutes.
 *
 * `limit 1` makes both of them look-ups, whatever the planner expects.
 */
function isNamed(tx: Tx, { highestKey }: SeenPayments): Fragment {
  return tx`(coalesce((select true from delivery_keys d where d.awaited_id = p.id limit 1), false)
      or coalesce((select true from payments o where o.referenced_payment_id = p.id
        and o.key <= ${highestKey}::bigint limit 1), false))`;
}

/** Drops what is still pending as before, and what refers to a payment that is new as well. */
async function keepChanged(tx: Tx, { highestKey }: SeenPayments): Promise<boolean> {
  await tx`create temp table changed_payments on commit drop as
    select p.key, p.id, p.short_id, p.connector_tx_id1, p.connector_tx_id2, p.connector_tx_id3,
      p.referenced_payment_id, bool_or(p.payment_type = 'RV' or p.happened <> 'NEW') as may_reverse,
      bool_and(p.happened = 'NEW') as is_new, not bool_or(p.is_relevant) as only_family
    from looked_at_payments p
    where p.happened <> 'DECIDED' or not p.is_pending
    group by 1, 2, 3, 4, 5, 6, 7`;
  const [any] = await tx`select from changed_payments limit 1`;
  if (any === undefined) return false;
  // Most captures are stored with their preauthorisation: this spares a look-up for each.
  const ofNew = (await isDivided(tx))
    ? tx``
    : tx`except select id from (select p.id from payments p where p.key > ${highestKey}::bigint offset 0) p`;
  await withoutTableScans(
    tx,
    () => tx`create temp table parent_ids on commit drop as
    select referenced_payment_id as id from changed_payments
    where referenced_payment_id is not null and not only_family
    union
    (select referenced_payment_id from changed_payments where referenced_payment_id is not null and only_family ${ofNew})`,
  );
  const look = tx`select ${relatedColumns(tx, 'p')} from parent_ids c
    cross join lateral (select p.* from payments p where p.id = c.id offset 0) p`;
  await collectRowsAgain(tx, 'changed_parents', look, [
    {
      name: 'parent_ids',
      columns: 'id text collate "C"',
      rows: tx`select id from parent_ids`,
    },
  ]);
  await tx`
    delete from changed_payments c using (
      select key from changed_payments where only_family
      except
      select c.key from changed_payments c join changed_parents p on p.id = c.referenced_payment_id
      where p.key <= ${highestKey}::bigint) gone
    where c.key = gone.key`;
  const changed = await tx`select from changed_payments limit 1`;
  return changed.length > 0;
}
