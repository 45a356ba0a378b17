import type { CalendarDate } from '../../values/calendar-date.js';
import type { Fragment, Tx } from '../fragment.js';

/** Which payments the earlier runs have seen (`settlement_checks`). */
export interface SeenPayments {
  /** Every payment up to this key was stored before the last run began to match. */
  readonly paymentKey: string;
  /** The same for `payment_changes`. */
  readonly change: string;
  /** No payment with a higher key was seen by the last run. */
  readonly highestKey: string;
  /** What older transactions than this one had stored was seen by the last run; 0 if that is unknown. */
  readonly oldestTransaction: string;
  /** Whether the last run saw every payment up to `highestKey`: nobody else was storing any when it looked. */
  readonly sawAllToHighest: boolean;
  /** The as-of date of the last run. */
  readonly asOf: CalendarDate;
  /** The latest as-of date of all runs and re-runs that ended: the last one may have been of an earlier date. */
  readonly latestAsOf: CalendarDate;
  /** The settings of the last run that decide which settlements are missing. */
  readonly settings: string;
}

/**
 * Which payments the earlier runs have seen; null before the first run. A payment gets its key when it is written, and
 * is seen when it is committed: a transaction that was open when the last run looked may since have stored a payment
 * with a lower key than the last one seen. So the keys are taken from the newest run that ended before any of the
 * transactions began that were open when the last run looked; a transaction that is open for weeks makes every run look
 * at everything.
 *
 * @param afterFirst what to use after the first run, which has none before it: `nothing`, or its own keys, with which a
 *   payment of a transaction that was open during that run is not seen
 */
export async function readSeenPayments(
  tx: Tx,
  afterFirst: 'nothing' | 'its keys',
): Promise<SeenPayments | null> {
  const first = afterFirst === 'its keys' ? tx`or earlier.run_id = last.run_id` : tx``;
  const [row] = await tx<SeenPayments[]>`
    select last.as_of::text as "asOf", last.settings, last.last_payment_key::text as "highestKey",
      (select greatest(max(r.as_of), last.as_of) from runs r where r.finished_at is not null)::text as "latestAsOf",
      earlier.last_payment_key::text as "paymentKey", earlier.last_change::text as change,
      case when last.own_transaction < pg_current_xact_id()::text::bigint then last.oldest_transaction
        else 0 end::text as "oldestTransaction",
      last.oldest_transaction = last.own_transaction as "sawAllToHighest"
    from (select * from settlement_checks order by run_id desc limit 1) last
    join settlement_checks earlier on earlier.own_transaction < last.oldest_transaction ${first}
    order by earlier.run_id = last.run_id, earlier.run_id desc
    limit 1`;
  return row ?? null;
}

/**
 * Whether the last run did not see payment `p`, which has a key above `paymentKey`, or not as it is now. Without this,
 * each run would look at the payments of two nights. A database that was restored on another server numbers its
 * transactions differently; if its numbers are lower, nothing counts as seen.
 */
export function isUnseen(
  tx: Tx,
  { highestKey, oldestTransaction, sawAllToHighest }: SeenPayments,
  isOnShards: boolean,
): Fragment {
  // Each shard numbers its own transactions. Only a run before the division can have missed a payment with a lower key.
  if (isOnShards) return sawAllToHighest ? tx`p.key > ${highestKey}::bigint` : tx`true`;
  // A subselect is computed once, and not for each of the payments of the night before.
  return tx`(p.key > ${highestKey}::bigint
    or age(p.xmin) <= (select pg_current_xact_id()::text::bigint - ${oldestTransaction}::bigint))`;
}
