import { claimEnd, mayBeSent } from './claim-webhook.js';
import type { DeliveryContext } from './delivery-context.js';
import type { NotificationRequest } from './notification-request.js';
import type { Attempt } from './post-notification.js';
import { giveUpAfterMs, waitAfterFailure } from './retry-delays.js';

/** So many are sent at once; the rest is due again at once. */
const mostAtOnce = 10;

/** A status update that this process sends. */
interface ClaimedUpdate {
  readonly paymentId: string;
  readonly url: string;
  readonly resourceId: string;
  readonly resourcePath: string;
  /** Those that failed. */
  readonly attempts: number;
}

/** What sending needs; the keys of webhooks are not used. */
export type UpdateContext = Omit<DeliveryContext, 'keys' | 'isEnding'>;

/**
 * Sends the status updates that are due to the `notificationUrl` of their payments (operations 6), each at least once.
 * A failed attempt is repeated like that of a webhook. The updates of different payments do not wait for each other.
 *
 * @returns how many were tried
 */
export async function deliverStatusUpdates(context: UpdateContext): Promise<number> {
  const { sql, environment, timeoutMs } = context;
  const updates = await sql<ClaimedUpdate[]>`
    update status_updates set claimed_until = ${claimEnd(sql, timeoutMs)}
    where payment_id = any (array(
      select payment_id from status_updates
      where environment = ${environment} and status = 'waiting' and ${mayBeSent(sql)}
      order by queued_at limit ${mostAtOnce} for update skip locked))
    returning payment_id as "paymentId", url, resource_id as "resourceId", resource_path as "resourcePath", attempts`;
  await Promise.all(updates.map((update) => deliverOne(context, update)));
  return updates.length;
}

async function deliverOne(context: UpdateContext, update: ClaimedUpdate): Promise<void> {
  const { poster, stop, logger } = context;
  const { paymentId } = update;
  const attempt = await poster.post(update.url, requestOf(update), stop);
  if (attempt.outcome === 'stopped') return release(context, paymentId);
  if (attempt.outcome === 'delivered') {
    await recordDelivered(context, paymentId);
    logger.debug({ paymentId }, 'A status update was delivered.');
    return;
  }
  const { isGivenUp } = await recordFailed(context, update, attempt);
  logger.warn(
    { paymentId, reason: attempt.reason },
    `The status update of a payment could not be delivered to its notificationUrl; it is ${isGivenUp ? 'given up' : 'tried again'}.`,
  );
}

/** The same two values with which a shopper returns. */
function requestOf({ resourceId, resourcePath }: ClaimedUpdate): NotificationRequest {
  return {
    body: new URLSearchParams({ id: resourceId, resourcePath }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  };
}

/** It is sent by the next process that looks. */
async function release({ sql }: UpdateContext, paymentId: string): Promise<void> {
  await sql`update status_updates set claimed_until = null where payment_id = ${paymentId}`;
}

async function recordDelivered({ sql }: UpdateContext, paymentId: string): Promise<void> {
  await sql`
    update status_updates set status = 'delivered', attempts = attempts + 1, finished_at = now(), claimed_until = null,
      last_error = null
    where payment_id = ${paymentId}`;
}

/** It is given up after 30 days, or when the receiver answers that it wants no more (410). */
async function recordFailed(
  { sql }: UpdateContext,
  { paymentId, attempts }: ClaimedUpdate,
  attempt: Extract<Attempt, { outcome: 'failed' | 'gone' }>,
): Promise<{ readonly isGivenUp: boolean }> {
  const waitMs = waitAfterFailure(attempts + 1, attempt.outcome === 'failed' ? attempt.retryAfterMs : null);
  const isLast = sql`(${attempt.outcome === 'gone'}::boolean
      or queued_at <= now() - ${giveUpAfterMs}::bigint * interval '1 millisecond')`;
  const [row] = await sql<{ status: string }[]>`
    update status_updates set attempts = attempts + 1, last_error = ${attempt.reason}, claimed_until = null,
      next_attempt_at = now() + ${waitMs}::int * interval '1 millisecond',
      status = case when ${isLast} then 'dead' else status end, finished_at = case when ${isLast} then now() end
    where payment_id = ${paymentId} and status = 'waiting'
    returning status`;
  return { isGivenUp: row?.status === 'dead' };
}
