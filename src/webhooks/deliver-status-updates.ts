import { endsWithin } from '../ends-within.js';
import { claimEnd, mayBeSent } from './claim-webhook.js';
import type { DeliveryContext } from './delivery-context.js';
import type { NotificationRequest } from './notification-request.js';
import type { Attempt } from './post-notification.js';
import { giveUpAfterMs, waitAfterFailure } from './retry-delays.js';

/** So many are sent at once. */
const mostAtOnce = 40;

/** So many of them to one receiver: one that never answers would otherwise delay those of all others by hours. */
const mostOfReceiver = 4;

/** After this time, those in progress no longer delay the next look. */
const lookAgainMs = 500;

/**
 * A look that finds nothing is followed by a pause of so many times its length. It reads all that wait: 50,000 for a
 * receiver that does not answer took 350 ms, and would keep the database busy.
 */
const pausesAfterNothing = 10;

/** What the `URL` of Node takes as host and port; no receiver has a user name. */
const hostAndPort = String.raw`^[^:]*://([^/?#\\]*)`;

/** A status update that this process sends. */
interface ClaimedUpdate {
  readonly paymentId: string;
  readonly url: string;
  /** The host and port of its URL. */
  readonly receiver: string;
  readonly resourceId: string;
  readonly resourcePath: string;
  /** Those that failed. */
  readonly attempts: number;
}

/** What sending needs; the keys of webhooks are not used. */
export type UpdateContext = Omit<DeliveryContext, 'keys'>;

/**
 * Sends the status updates that are due to the `notificationUrl` of their payments (operations 6), each at least once,
 * until none is due or the process ends. A failed attempt is repeated like that of a webhook. The updates of different
 * payments do not wait for each other.
 *
 * @returns how many were tried
 * @throws whatever the database throws, once those in progress have ended
 */
export async function deliverStatusUpdates(context: UpdateContext): Promise<number> {
  // Each with its receiver.
  const inProgress = new Map<Promise<void>, string>();
  const failures: unknown[] = [];
  let tried = 0;
  const failed = (thrown: unknown) => void failures.push(thrown);
  for (;;) {
    const begun = performance.now();
    const claimed =
      failures.length > 0 ? [] : await claimUpdates(context, [...inProgress.values()]).catch(failed);
    const lookedMs = performance.now() - begun;
    const updates = claimed ?? [];
    if (updates.length === 0 && inProgress.size === 0) break;
    tried += updates.length;
    const started = updates.map((update) => {
      const sending = deliverOne(context, update)
        .catch(failed)
        .finally(() => void inProgress.delete(sending));
      inProgress.set(sending, update.receiver);
      return sending;
    });
    const others = started.length === 0 ? Promise.race(inProgress.keys()) : Promise.all(started);
    const pauseMs = started.length > 0 ? 0 : pausesAfterNothing * lookedMs;
    await endsWithin(others, Math.max(lookAgainMs, pauseMs));
  }
  if (failures.length > 0) throw failures[0];
  return tried;
}

/**
 * Claims updates that are due, those first whose receivers have the fewest in progress.
 *
 * @param receivers of those in progress
 */
async function claimUpdates(
  { sql, environment, timeoutMs, isEnding, stop }: UpdateContext,
  receivers: readonly string[],
): Promise<readonly ClaimedUpdate[]> {
  const most = mostAtOnce - receivers.length;
  if (most <= 0 || isEnding() || stop.aborted) return [];
  // A URL may have a query directly after its host, with another value for each payment.
  const receiver = sql`lower(substring(url from ${hostAndPort}))`;
  const isWanted = sql`environment = ${environment} and status = 'waiting' and ${mayBeSent(sql)}`;
  return sql<ClaimedUpdate[]>`
    with busy as materialized (
      select receiver, count(*) as updates
      from jsonb_array_elements_text(${JSON.stringify(receivers)}::text::jsonb) receiver
      group by receiver
    ), due as materialized (
      select payment_id, queued_at, coalesce(busy.updates, 0)
          + row_number() over (partition by ${receiver} order by queued_at, payment_id) as place
      from status_updates left join busy on busy.receiver = ${receiver}
      where ${isWanted}
    )
    update status_updates set claimed_until = ${claimEnd(sql, timeoutMs)}
    where payment_id = any (array(
      select payment_id from status_updates
      where ${isWanted} and payment_id in (
        select payment_id from due where place <= ${mostOfReceiver} order by place, queued_at limit ${most})
      for update skip locked))
    returning payment_id as "paymentId", url, ${receiver} as receiver, resource_id as "resourceId",
      resource_path as "resourcePath", attempts`;
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
