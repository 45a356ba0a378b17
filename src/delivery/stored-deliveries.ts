import type { Sql, Tx } from '../db/client.js';

/** A report that is to be delivered to a target. */
export interface WaitingDelivery {
  readonly target: string;
  readonly folder: string;
  /** The SHA-256 of the manifests that were sent before. */
  readonly sent: readonly string[];
  /** How often it was tried, and how the last try ended. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** Identifies the request: a report that is written again is requested again. */
  readonly requestedAt: string;
}

/** From now on the report is to be delivered to these targets, even if it was delivered before: it may have changed. */
export async function requestDelivery(
  sql: Sql | Tx,
  targets: readonly string[],
  folder: string,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  for (const target of targets) {
    await sql`insert into report_deliveries (target, folder, sent, requested_at) values (${target}, ${folder}, '{}', ${now})
      on conflict (target, folder) do update
        set requested_at = excluded.requested_at, attempts = 0, last_error = null, delivered_at = null`;
  }
}

/** What waits for these targets, the oldest first. */
export function waitingDeliveries(
  sql: Sql | Tx,
  targets: readonly string[],
): Promise<readonly WaitingDelivery[]> {
  return sql<WaitingDelivery[]>`
    select target, folder, sent, attempts, last_error as "lastError", requested_at::text as "requestedAt"
    from report_deliveries
    where delivered_at is null and target = any (${[...targets]}) order by requested_at, folder, target`;
}

/** Before the first byte is sent: if the process dies, the next one knows that the folder at the target is ours. */
export async function noteSending(
  sql: Sql,
  { target, folder }: Pick<WaitingDelivery, 'target' | 'folder'>,
  manifestSha256: string,
): Promise<void> {
  await sql`update report_deliveries set sent = array_append(array_remove(sent, ${manifestSha256}), ${manifestSha256})
    where target = ${target} and folder = ${folder}`;
}

/**
 * Notes how a try ended. A report that was requested again since then still waits, because its former version was sent.
 *
 * @param error why it could not be delivered; null if it was
 */
export async function noteAttempt(
  sql: Sql,
  { target, folder, requestedAt }: Pick<WaitingDelivery, 'target' | 'folder' | 'requestedAt'>,
  error: string | null,
  nowMs: number,
): Promise<void> {
  const deliveredAt = error === null ? new Date(nowMs).toISOString() : null;
  await sql`update report_deliveries set attempts = attempts + 1, last_error = ${error}, delivered_at = ${deliveredAt}
    where target = ${target} and folder = ${folder} and requested_at = ${requestedAt}::text::timestamptz`;
}
