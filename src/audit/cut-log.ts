import type { Tx } from '../db/client.js';

/** The old events of the log on one day. */
export interface OldEvents {
  /** `yyyy-MM-dd` in the time zone that was asked for. */
  readonly day: string;
  readonly count: number;
  readonly bytes: number;
  /** Contains the last event of the log, which always stays. */
  readonly isNewest: boolean;
}

/** What lies before a moment, by day. */
export async function readOldEvents(tx: Tx, before: string, timezone: string): Promise<readonly OldEvents[]> {
  return tx<OldEvents[]>`
    select (e.happened_at at time zone ${timezone})::date::text as day, count(*)::integer as count,
      sum(pg_column_size(e.*))::float8 as bytes, number = (select number from audit_head) as "isNewest"
    from audit_events e
    where e.happened_at < ${before}::text::timestamptz
      and e.number <= ${lastBefore(tx, before)}
    group by 1, 4`;
}

/**
 * Removes the events before a moment. A checkpoint keeps the number and the hash of the last of them, from which the
 * rest of the log continues, so that `verifyLog` still proves it. The last event of the log stays. The log is cut
 * before the first event of that moment or a later one, even if the clock of the server was set back afterwards.
 */
export async function cutLog(tx: Tx, before: string): Promise<void> {
  const [checkpoint] = await tx<{ number: bigint }[]>`
    insert into audit_checkpoints (through_number, hash, created_at)
    select number, hash, clock_timestamp() from audit_events
    where number <= ${lastBefore(tx, before)} and number < (select number from audit_head)
    order by number desc limit 1
    returning through_number as number`;
  if (checkpoint === undefined) return;
  await tx`delete from audit_events where number <= ${checkpoint.number.toString()}`;
}

/** The number of the last event that has only events before the moment before it. */
function lastBefore(tx: Tx, before: string) {
  return tx`coalesce(
    (select min(number) - 1 from audit_events where happened_at >= ${before}::text::timestamptz),
    (select number from audit_head))`;
}
