import type { Tx } from '../fragment.js';
import type { RecordAddress } from './find-record.js';
import { byWhom, type RecordedDecision } from './why-uncounted.js';

/** The withdrawal or restoration of a file, on which no run has acted yet. */
export interface PendingWithdrawal extends RecordedDecision {
  readonly kind: 'withdraw' | 'restore';
}

/**
 * What the next run does with the file of a record; null if it leaves it as it is.
 *
 * @param timezone of the day on which somebody decided
 */
export async function pendingWithdrawalOf(
  tx: Tx,
  { fileId }: RecordAddress,
  timezone: string,
): Promise<PendingWithdrawal | null> {
  const [pending] = await tx<PendingWithdrawal[]>`
    select w.kind, w.author as by, (w.decided_at at time zone ${timezone})::date::text as on, w.reason
    from (select * from file_withdrawals where file_id = ${fileId} order by number desc limit 1) w
    where (w.kind = 'withdraw') <> exists (select from withdrawn_files f where f.file_id = ${fileId})`;
  return pending === undefined ? null : { ...pending };
}

/** The same as a sentence. Whether the record counts then depends on other files that have it, too. */
export function pendingWithdrawalText({ kind, ...decision }: PendingWithdrawal): string {
  const done = kind === 'withdraw' ? 'withdrawn' : 'restored';
  return `Its file was ${done}${byWhom(decision)}; this takes effect with the next run, or a re-run of its settlement date.`;
}
