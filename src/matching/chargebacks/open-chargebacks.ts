import { recordOrder, textArray, type Fragment, type Tx } from '../fragment.js';
import { isByHand, listHandBookings } from './hand-bookings.js';
import type { OpenChargeback, WaitingReversal } from './link-reversals.js';
import { recordOrBooking, reversalOrBooking } from './removed-chargebacks.js';

/**
 * The chargebacks of the payments of some reversals that a reversal may be linked to: those without one, and those of
 * which reversals returned less than the amount, in the same currency. Oldest first, and those that FAILED last: the
 * money of a reversal belongs to a chargeback that took some. What the back office returned counts as a part: a record
 * that returns it again would return the money twice. A chargeback that does not count itself is open only to
 * reversals that had its id.
 *
 * @param hasRemoved whether the records of any file were removed by `recon retire` or `recon purge`
 */
export async function openChargebacks(
  tx: Tx,
  reversals: readonly WaitingReversal[],
  hasRemoved: boolean,
): Promise<readonly OpenChargeback[]> {
  const payments = [...new Set(reversals.map((reversal) => reversal.paymentKey))];
  const wanted = tx`unnest(${textArray(tx, payments)}::bigint[]) as wanted (payment_key)`;
  const hasHandBookings = await listHandBookings(tx, tx`select payment_key from ${wanted}`);
  const byHand = hasHandBookings
    ? tx`cross join lateral (select sum(b.amount_minor) as minor from core_reversals b
        where b.booked_on = l.chargeback_id and ${isByHand(tx)}) hand`
    : tx`cross join (select null::numeric as minor) hand`;
  const sources = { wanted, hasRemoved, byHand };
  const hadId = reversals.some(({ formerId }) => formerId !== null);
  return tx<OpenChargeback[]>`
    select r.chargeback_id as "chargebackId", r.payment_key as "paymentKey", r.currency,
      r.left_minor::bigint as "leftMinor", r.has_reversal as "hasReversal",
      r.settlement_status = 'FAILED' as "hasFailed", r.counts
    from (${withoutReversal(tx, sources)} union all ${partlyReturned(tx, sources)}
      ${hadId ? tx`union all ${uncounted(tx, sources)}` : tx``}) r
    order by r.settlement_status = 'FAILED', ${recordOrder(tx)}`;
}

interface Sources {
  readonly wanted: Fragment;
  readonly hasRemoved: boolean;
  /** A join of `hand`, with what the back office returned of chargeback `l`; null if nothing. */
  readonly byHand: Fragment;
}

const columns = (tx: Tx) => tx`l.chargeback_id, l.payment_key, r.currency,
        r.settlement_status, r.settlement_date, r.settlement_tx_id, r.fingerprint, r.occurrence,
        r.amount_minor - coalesce(hand.minor, 0)`;

const recordOf = (tx: Tx, { hasRemoved }: Sources) =>
  hasRemoved
    ? tx`${recordOrBooking(tx)} on true`
    : tx`join settlement_records r on r.file_id = l.file_id and r.line = l.line`;

/**
 * Whether one has a reversal is looked up, because PostgreSQL 15 compared each chargeback with all reversals of this
 * run. What the back office returned is null, and so not in full, of a chargeback of 0.00, which is open too.
 */
function withoutReversal(tx: Tx, sources: Sources): Fragment {
  return tx`
      select ${columns(tx)} as left_minor, hand.minor is not null as has_reversal, true as counts
      from ${sources.wanted}
      join chargeback_links l on l.payment_key = wanted.payment_key and l.kind = 'CHARGEBACK' and l.active
      ${recordOf(tx, sources)}
      ${sources.byHand}
      where not exists (select from chargeback_links reversal
        where reversal.chargeback_id = l.chargeback_id and reversal.kind = 'CHARGEBACK REVERSAL'
          and reversal.active offset 0)
        and (hand.minor >= r.amount_minor) is not true`;
}

/** The chargebacks of those reversals are looked up, for the same reason. */
function partlyReturned(tx: Tx, sources: Sources): Fragment {
  return tx`
      select ${columns(tx)} - returned.amount_minor, true, true
      from (
        select reversal.chargeback_id, sum(back.amount_minor) as amount_minor, min(back.currency) as currency,
          max(back.currency) as other_currency
        from ${sources.wanted}
        join chargeback_links reversal on reversal.payment_key = wanted.payment_key
          and reversal.kind = 'CHARGEBACK REVERSAL' and reversal.active
        join ${reversalOrBooking(tx, sources.hasRemoved)}
        group by reversal.chargeback_id) returned
      cross join lateral (select l.* from chargeback_links l
        where l.chargeback_id = returned.chargeback_id and l.kind = 'CHARGEBACK' and l.active offset 0) l
      ${recordOf(tx, sources)}
      ${sources.byHand}
      where returned.currency = r.currency and returned.other_currency = r.currency
        and returned.amount_minor + coalesce(hand.minor, 0) < r.amount_minor`;
}

/**
 * The chargebacks that do not count now, because their files were withdrawn: a part of one keeps its id when it counts
 * again first, as the parts do that are not withdrawn. Of several deliveries of one, the last says its amount.
 */
function uncounted(tx: Tx, sources: Sources): Fragment {
  return tx`
      select ${columns(tx)} - coalesce(returned.amount_minor, 0), true, false
      from (
        select distinct on (l.chargeback_id) l.* from ${sources.wanted}
        join chargeback_links l on l.payment_key = wanted.payment_key and l.kind = 'CHARGEBACK' and not l.active
        order by l.chargeback_id, l.file_id desc, l.line desc) l
      ${recordOf(tx, sources)}
      ${sources.byHand}
      cross join lateral (
        select sum(back.amount_minor) as amount_minor, bool_and(back.currency = r.currency) as in_currency
        from (select x.* from chargeback_links x where x.chargeback_id = l.chargeback_id
          and x.kind = 'CHARGEBACK REVERSAL' and x.active offset 0) reversal
        join ${reversalOrBooking(tx, sources.hasRemoved)}) returned
      where not exists (select from chargeback_links x
          where x.chargeback_id = l.chargeback_id and x.kind = 'CHARGEBACK' and x.active offset 0)
        and returned.in_currency is not false
        and coalesce(returned.amount_minor, 0) + coalesce(hand.minor, 0) < r.amount_minor`;
}
