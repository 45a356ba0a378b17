import { randomBytes } from 'node:crypto';
import type { Sql } from '../db/client.js';
import { clocksDifferMs } from '../values/clocks-differ.js';
import type { DeliveryContext } from './delivery-context.js';
import type { Wrapper } from './notification-request.js';
import { longestWaitMs } from './retry-delays.js';

/** A webhook that this process alone delivers to, until the claim ends. */
export interface ClaimedWebhook {
  readonly id: string;
  /** Random: it is not another claim's, not even of the same process. */
  readonly claim: string;
  readonly url: string;
  readonly wrapper: Wrapper;
  readonly keyId: string;
  readonly sealed: string;
  /** Attempts that failed since the last success; all that a Retry-After followed count as the first one. */
  readonly failures: number;
}

/**
 * A claim is longer than a request may take, so it ends during none; when its process is killed, others wait for it.
 */
export const claimMarginMs = 5000;

/** The end of a claim that begins now, by the clock of the database: the clocks of the machines may differ. */
export function claimEnd(sql: Sql, timeoutMs: number) {
  return sql`now() + ${timeoutMs + claimMarginMs}::int * interval '1 millisecond'`;
}

/** Claims a webhook that is active and due; undefined if it is not, or another process has it. */
export async function claimWebhook(
  { sql, environment, timeoutMs }: DeliveryContext,
  id: string,
): Promise<ClaimedWebhook | undefined> {
  const claim = randomBytes(8).toString('hex');
  const [row] = await sql<Omit<ClaimedWebhook, 'claim'>[]>`
    update webhooks set claimed_by = ${claim}, claimed_until = ${claimEnd(sql, timeoutMs)}
    where id = ${id} and ${isDue(sql, environment)}
    returning id, url, wrapper, failures, secret_key_id as "keyId", secret_sealed as sealed`;
  return row === undefined ? undefined : { ...row, claim };
}

/** Ends a claim. One that has ended already is not touched. */
export async function releaseWebhook(sql: Sql, { id, claim }: ClaimedWebhook): Promise<void> {
  await sql`
    update webhooks set claimed_by = null, claimed_until = null where id = ${id} and claimed_by = ${claim}`;
}

/** Longer than any wait and any claim, even if another server takes over whose clock is behind. */
const impossibleMs = longestWaitMs + clocksDifferMs;

/** The condition of a webhook to which something may be sent now. */
export function isDue(sql: Sql, environment: string) {
  return sql`environment = ${environment} and status = 'active' and ${mayBeSent(sql)}`;
}

/**
 * Whether the next attempt is due and nobody has a claim, by the clock of the database. An attempt that is planned for
 * later than any wait was noted while that clock was ahead, and so was a claim that ends later than any. Both are
 * ignored: otherwise nothing would be sent until then.
 */
export function mayBeSent(sql: Sql) {
  const impossible = sql`now() + ${impossibleMs}::int * interval '1 millisecond'`;
  return sql`(next_attempt_at is null or next_attempt_at <= now() or next_attempt_at > ${impossible})
    and (claimed_until is null or claimed_until < now() or claimed_until > ${impossible})`;
}
