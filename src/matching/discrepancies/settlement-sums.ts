import { toleranceOf, type Allowances } from '../allowances.js';
import { amountText, recordOrder, type Fragment, type Tx } from '../fragment.js';
import { takesPart } from '../deliveries/takes-part.js';
import { typeFits } from '../type-fit.js';
import { paymentFindingId, recordFindingId } from './check.js';
import { summedRecords, type RecordsOfPayments } from './records-of-payments.js';
import { discrepancyCodes } from '../../findings/discrepancy-codes.js';

/**
 * DUPLICATE_SETTLEMENT and AMOUNT_MISMATCH: the sum of all SETTLED, SUCCESS records of a payment in its currency. It is
 * checked for every payment of a record in scope, over all of its records, so a record that arrives today may close a
 * finding about an older one or be the new last one. A payment that one record settles in full needs no review and no
 * sum. Removed settlements count, but nothing is reported on them: what was found on one before stays.
 *
 * @param tolerance changes only the severity and the message of an AMOUNT_MISMATCH
 */
export async function collectSettlementSums(tx: Tx, tolerance: Allowances['tolerance']): Promise<void> {
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select case f.code when 'AMOUNT_MISMATCH' then ${paymentFindingId(tx, tx`f.code`, tx`r.payment_id`)}
      else ${recordFindingId(tx, tx`f.code`)} end, f.code, f.severity, r.file_id, r.line, r.payment_key,
      ${amountText(tx, tx`f.expected`)}, ${amountText(tx, tx`f.actual`)}, f.actual - f.expected, f.message
    from (${settlements(tx, summedRecords(tx))}) r
    cross join lateral (${duplicates(tx)} union all ${mismatches(tx, tolerance)})
      f (code, severity, expected, actual, message)
    where not r.is_removed`;
}

/**
 * Of some records of payments, those that count towards the settlement, in order; one of a type that does not fit takes
 * no part (design 4.4). `earlier` is the sum of the records before (null for the first), `running` the sum up to this
 * record and with it. Because amounts are never negative, all records after a duplicate are duplicates, so it makes no
 * difference whether `earlier` includes duplicates.
 *
 * One window for all three columns: three frames would be three passes over the records. `coalesce` keeps the planner's
 * estimate near the truth, because nearly all records pass: without it, the planner expects one in seventy.
 */
export function settlements(tx: Tx, records: RecordsOfPayments): Fragment {
  return tx`
    select s.*, e.earlier, coalesce(e.earlier >= s.payment_amount, false) as duplicate,
      s.running >= s.payment_amount or s.is_last as last_counted
    from (
      select p.key as payment_key, p.id as payment_id, p.amount_minor as payment_amount, p.currency,
        r.file_id, r.line, r.fingerprint, r.occurrence, r.settlement_date, r.settlement_tx_id, r.amount_minor,
        r.is_removed,
        (sum(r.amount_minor) over in_order)::bigint as running, row_number() over in_order as place,
        lead(r.line) over in_order is null as is_last
      from ${records(tx`r.reconciliation_type = 'SETTLED' and r.settlement_status = 'SUCCESS'`)}
      join payments p on p.key = r.payment_key
      where coalesce(r.currency = p.currency, false) and ${typeFits(tx)} and ${takesPart(tx)}
      window in_order as (partition by p.key order by ${recordOrder(tx)} rows unbounded preceding)
    ) s
    cross join lateral (select case when s.place > 1 then s.running - s.amount_minor end as earlier) e`;
}

function duplicates(tx: Tx): Fragment {
  return tx`select 'DUPLICATE_SETTLEMENT', ${discrepancyCodes.DUPLICATE_SETTLEMENT.severity}::text,
    0::bigint, r.amount_minor,
    format('Payment %s for %s %s was already settled in full by earlier records; this %s %s is too much.',
      r.payment_id, ${amountText(tx, tx`r.payment_amount`)}, r.currency,
      ${amountText(tx, tx`r.amount_minor`)}, r.currency)
    where r.duplicate`;
}

function mismatches(tx: Tx, tolerance: Allowances['tolerance']): Fragment {
  const allowed = toleranceOf(tx, tolerance, tx`r.currency`);
  const severity = tx`${discrepancyCodes.AMOUNT_MISMATCH.severity}::text`;
  const within = tx`abs(r.running - r.payment_amount) <= t.allowed`;
  return tx`select 'AMOUNT_MISMATCH', ${allowed === null ? severity : tx`case when ${within} then 'info' else ${severity} end`},
    r.payment_amount, r.running,
    format('Payment %s is for %s %s, but %s %s was settled for it%s: %s %s too %s.',
      r.payment_id, ${amountText(tx, tx`r.payment_amount`)}, r.currency, ${amountText(tx, tx`r.running`)}, r.currency,
      case when r.earlier is null then '' else ', this record being the last of several' end,
      ${amountText(tx, tx`abs(r.running - r.payment_amount)`)}, r.currency,
      case when r.running > r.payment_amount then 'much' else 'little' end)${
        allowed === null
          ? tx``
          : tx` || case when ${within} then format(' This is within the tolerance of %s %s.',
      ${amountText(tx, tx`t.allowed`)}, r.currency) else '' end
    from (select ${allowed} as allowed) t`
      }
    where r.last_counted and not r.duplicate and r.running <> r.payment_amount`;
}
