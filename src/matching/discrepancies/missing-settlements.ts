import { isDivided } from '../../db/shards/is-divided.js';
import { collectFromShards } from '../../db/shards/on-shards.js';
import type { DueSettings, RunScope } from '../../db/run-scope.js';
import type { RunId } from '../../values/ids.js';
import { amountText, type Fragment, type Tx } from '../fragment.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { paymentFindingId } from './check.js';
import { onRowsOfDuePayments } from './due-on-shards.js';
import { listDuePayments } from './payments-to-check.js';
import { fullyReversed } from './reversed-payments.js';
import { onCopiedReversals } from '../copies-from-shards.js';
import { hasRemovedRecords } from '../removed-records.js';
import {
  dueAmongCandidates,
  dueWithMatchedRecord,
  dueWithRemovedRecord,
  dueWithSettlement,
  listResultsOfDue,
} from './settled-payments.js';

/** An expected delivery that has not arrived (design 4.10). */
export interface AwaitedDelivery {
  readonly source: string;
  readonly date: string;
}

/**
 * MISSING_SETTLEMENT is about payments: one that is due in scope, successful, of a type that is settled and not
 * reversed in full, that no SETTLED, SUCCESS record is matched to or lists, and that has no open failed settlement. A
 * payment whose record was removed with its month counts as settled.
 *
 * Payments already reported as missing are checked again whatever their age, so that the finding is closed if the
 * payment has been settled in the meantime, and stays open if not.
 */
export async function collectMissingSettlements(
  tx: Tx,
  scope: RunScope,
  due: DueSettings & { readonly runId: RunId },
  awaited: readonly AwaitedDelivery[],
): Promise<void> {
  const { most } = await listDuePayments(tx, scope, due.runId, due);
  await tx`create temp table unsettled_payments (key bigint) on commit drop`;
  const removed = (await hasRemovedRecords(tx)) ? tx`except ${dueWithRemovedRecord(tx)}` : tx``;
  await onRowsOfDuePayments(tx, async () => {
    const settled = most
      ? tx`${dueWithMatchedRecord(tx, most)} except ${dueAmongCandidates(tx)}`
      : dueWithSettlement(tx, await listResultsOfDue(tx));
    await tx`
      insert into unsettled_payments
      select key from due_payments where not is_pending
      except
      ${settled}
      ${removed}`;
  });
  await tx`create unique index on pg_temp.unsettled_payments (key)`;
  await tx`analyze unsettled_payments`;
  await onCopiedReversals(tx, tx`select key as payment_key from unsettled_payments`, async () => {
    await tx`delete from unsettled_payments u using (${fullyReversed(tx, tx`select key from unsettled_payments`)}) r
      where r.payment_key = u.key`;
  });
  const findings = missing(tx, due, awaited);
  const isOnShards = await isDivided(tx);
  if (isOnShards) await collectOnShards(tx, findings);
  await tx`
    insert into found (id, code, severity, payment_key, expected, actual, difference_minor, message)
    ${isOnShards ? tx`select * from missing_on_shards` : findings}`;
}

/** The findings about `unsettled_payments`. */
function missing(tx: Tx, due: DueSettings, awaited: readonly AwaitedDelivery[]): Fragment {
  return tx`
    select ${paymentFindingId(tx, tx`'MISSING_SETTLEMENT'`, tx`p.id`)} as id, 'MISSING_SETTLEMENT' as code,
      ${discrepancyCodes.MISSING_SETTLEMENT.severity} as severity, p.key,
      ${amountText(tx, tx`p.amount_minor`)} as expected, '0.00' as actual, - p.amount_minor as difference_minor,
      format('Payment %s (%s) for %s %s on %s succeeded, but no settlement of it has arrived.', p.id, p.payment_type, ${amountText(tx, tx`p.amount_minor`)}, p.currency,
        (p.requested_at at time zone ${due.timezone})::date)${awaitedFile(tx, awaited, due.timezone)} as message
    from unsettled_payments missing join payments p on p.key = missing.key`;
}

/** Each shard words the findings about its own payments. */
async function collectOnShards(tx: Tx, findings: Fragment): Promise<void> {
  await collectFromShards(tx, 'missing_on_shards', findings, [
    { name: 'unsettled_payments', columns: 'key bigint', rows: tx`select key from unsettled_payments` },
  ]);
}

/**
 * Names the first delivery on or after the day of the payment that has not arrived. The text is the same before and
 * after its deadline, so that it changes only when the delivery arrives.
 */
function awaitedFile(tx: Tx, awaited: readonly AwaitedDelivery[], timezone: string): Fragment {
  if (awaited.length === 0) return tx``;
  const deliveries = JSON.stringify(awaited.map(({ source, date }) => ({ source, date })));
  return tx` || coalesce((
        select format(' The delivery of %s for %s has not arrived and may contain it.', a.source, a.date)
        from jsonb_to_recordset(${deliveries}::text::jsonb) a(source text, date date)
        where a.date >= (p.requested_at at time zone ${timezone})::date
        order by a.date, a.source collate "C" limit 1), '')`;
}
