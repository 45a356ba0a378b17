import type { DueSettings, RunScope } from '../../db/run-scope.js';
import type { RunId } from '../../values/ids.js';
import { amountText, type Fragment, type Tx } from '../fragment.js';
import { typeFits } from '../type-fit.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { paymentFindingId } from './check.js';
import { listDuePayments } from './payments-to-check.js';
import { fullyReversed } from './reversed-payments.js';

/** An expected delivery that has not arrived (design 4.10). */
export interface AwaitedDelivery {
  readonly source: string;
  readonly date: string;
}

/**
 * MISSING_SETTLEMENT, about payments: due in scope, a success, of a type that is settled, not reversed in full, no
 * SETTLED, SUCCESS record is matched to it or lists it, and no failed settlement of it is open. Payments already reported as missing are checked again whatever their
 * age, so that the finding is closed if the payment was settled meanwhile, and stays open if not.
 */
export async function collectMissingSettlements(
  tx: Tx,
  scope: RunScope,
  due: DueSettings & { readonly runId: RunId },
  awaited: readonly AwaitedDelivery[],
): Promise<void> {
  const { all } = await listDuePayments(tx, scope, due.runId, due);
  await tx`create temp table unsettled_payments (key bigint) on commit drop`;
  await tx`insert into unsettled_payments
    select key from due_payments where not is_pending
    except
    ${settledOrFailed(tx, all && scope.kind === 'run')}
    except
    ${settledPerhaps(tx)}`;
  await tx`create unique index on pg_temp.unsettled_payments (key)`;
  await tx`analyze unsettled_payments`;
  await tx`
    insert into found (id, code, severity, payment_key, expected, actual, difference_minor, message)
    select ${paymentFindingId(tx, tx`'MISSING_SETTLEMENT'`, tx`p.id`)}, 'MISSING_SETTLEMENT',
      ${discrepancyCodes.MISSING_SETTLEMENT.severity}, p.key, ${amountText(tx, tx`p.amount_minor`)}, '0.00',
      - p.amount_minor, format('Payment %s (%s) over %s %s of %s succeeded, but no settlement of it has arrived.',
        p.id, p.payment_type, ${amountText(tx, tx`p.amount_minor`)}, p.currency,
        (p.requested_at at time zone ${due.timezone})::date)${awaitedFile(tx, awaited, due.timezone)}
    from (
      select key from unsettled_payments
      except
      ${fullyReversed(tx, tx`select key from unsettled_payments`)}
    ) missing join payments p on p.key = missing.key`;
}

/**
 * The due payments that a SETTLED record of a fitting type is matched to. One with SUCCESS is their settlement. One with
 * FAILED is not, but its own finding says so: SETTLEMENT_FAILED is open as long as no SUCCESS has come.
 *
 * @param most whether most of what is stored is about these payments, as in a first run: then a join is quickest. Else
 *   the records of each are looked up, because a join read the results of a year for the payments of a week.
 */
function settledOrFailed(tx: Tx, most: boolean): Fragment {
  const records = most
    ? tx`join record_matches m on m.payment_key = d.key
      join settlement_records r on r.file_id = m.file_id and r.line = m.line`
    : tx`cross join lateral (select m.file_id, m.line from record_matches m where m.payment_key = d.key offset 0) m
      cross join lateral (select r.reconciliation_type, r.payment_type from settlement_records r
        where r.file_id = m.file_id and r.line = m.line offset 0) r`;
  return tx`
    select d.key from due_payments d
    join payments p on p.key = d.key
    ${records}
    where r.reconciliation_type = 'SETTLED' and ${typeFits(tx)}`;
}

/** The due payments that a SETTLED, SUCCESS record lists among its candidates. */
function settledPerhaps(tx: Tx): Fragment {
  return tx`
    select c.payment_key from due_payments d
    join match_candidates c on c.payment_key = d.key
    join settlement_records r on r.file_id = c.file_id and r.line = c.line
    where r.reconciliation_type = 'SETTLED' and r.settlement_status = 'SUCCESS'`;
}

/**
 * Names the first delivery from the day of the payment on that has not arrived. The text is the same before and after its
 * deadline, so that it changes only when the delivery arrives.
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
