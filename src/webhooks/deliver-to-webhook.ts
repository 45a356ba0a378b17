import type { Sql } from '../db/client.js';
import { ReconError } from '../errors.js';
import { claimMarginMs, claimWebhook, releaseWebhook, type ClaimedWebhook } from './claim-webhook.js';
import type { DeliveryContext } from './delivery-context.js';
import { notificationRequest } from './notification-request.js';
import type { Attempt } from './post-notification.js';
import { recordDelivered, recordFailed, recordLost } from './record-attempt.js';
import { countFailures, waitAfterFailure } from './retry-delays.js';
import { openSecret } from './secrets.js';

/** After this many, other webhooks get their turn; this one is due again at once. */
const mostAtOnce = 100;

/**
 * Delivers to a webhook what waits for it, one after the other in the order of the events, until nothing waits or an
 * attempt fails: then everything waits for the next attempt, which thereby finds out whether the receiver is back.
 *
 * Each notification is delivered at least once: a process that is killed between the answer and its record sends it
 * again, with the same `webhook-id`.
 *
 * @returns how many were delivered
 */
export async function deliverToWebhook(context: DeliveryContext, webhookId: string): Promise<number> {
  const webhook = await claimWebhook(context, webhookId);
  if (webhook === undefined) return 0;
  let delivered = 0;
  try {
    let isActive = true;
    let claimedAt = performance.now();
    while (isActive && delivered < mostAtOnce && !context.isEnding()) {
      const waiting = await nextWaiting(context.sql, webhookId);
      if (waiting === undefined) break;
      // A process that was suspended may have lost its claim to another one.
      if (performance.now() - claimedAt > claimMarginMs / 2) break;
      const failures = delivered === 0 ? webhook.failures : 0;
      const outcome = await deliverOne(context, webhook, { waiting, failures });
      isActive = outcome.isActive;
      delivered += outcome.delivered;
      // Only a delivery extends the claim.
      if (outcome.delivered === 1) claimedAt = performance.now();
    }
  } finally {
    await releaseWebhook(context.sql, webhook);
  }
  return delivered;
}

interface Waiting {
  readonly sequence: string;
  readonly messageId: string;
  /** The notification as JSON; null if its event is gone. */
  readonly notification: string | null;
}

async function nextWaiting(sql: Sql, webhookId: string): Promise<Waiting | undefined> {
  const [row] = await sql<Waiting[]>`
    select d.sequence::text as sequence, d.message_id as "messageId",
      case when e.sequence is not null
        then jsonb_build_object('type', e.type, 'action', e.action, 'payload', e.payload)::text end as notification
    from webhook_deliveries d left join payment_events e on e.sequence = d.sequence
    where d.webhook_id = ${webhookId} and d.status = 'waiting'
    order by d.sequence limit 1`;
  return row;
}

interface Outcome {
  readonly isActive: boolean;
  readonly delivered: 0 | 1;
}

async function deliverOne(
  context: DeliveryContext,
  webhook: ClaimedWebhook,
  { waiting, failures }: { readonly waiting: Waiting; readonly failures: number },
): Promise<Outcome> {
  const { logger } = context;
  const { sequence, messageId, notification } = waiting;
  const details = { webhook: webhook.id, messageId };
  if (notification === null) {
    await recordLost(context, webhook, sequence);
    logger.error(details, 'A notification was given up, because its event is no longer in the database.');
    return { isActive: true, delivered: 0 };
  }
  const attempt = await attemptToSend(context, webhook, messageId, notification);
  if (attempt.outcome === 'stopped') return { isActive: false, delivered: 0 };
  if (attempt.outcome === 'delivered') {
    const recorded = await recordDelivered(context, webhook, sequence);
    if (failures > 0) logger.info(details, 'A webhook receives notifications again.');
    else logger.debug(details, 'A notification was delivered.');
    return { isActive: recorded?.isActive ?? false, delivered: 1 };
  }
  const { reason } = attempt;
  const disables = attempt.outcome === 'gone';
  const retryAfterMs = attempt.outcome === 'failed' ? attempt.retryAfterMs : null;
  const failed = countFailures(failures, retryAfterMs);
  const waitMs = waitAfterFailure(failed, retryAfterMs);
  const failure = { sequence, reason, failures: failed, waitMs, disables };
  const recorded = await recordFailed(context, webhook, failure);
  const isLast = disables || recorded?.isGivenUp === true;
  const next = isLast ? null : new Date(context.clock() + waitMs).toISOString();
  logger.warn(
    { ...details, reason, failures: failed, next },
    disables
      ? 'A webhook was disabled by its receiver (410); recon webhooks resume enables it again.'
      : `A notification could not be delivered; it is ${isLast ? 'given up' : 'tried again'}.`,
  );
  if (recorded !== undefined && recorded.dead > 0) {
    logger.error(
      { webhook: webhook.id, notifications: recorded.dead },
      'Notifications were given up after 30 days; recon webhooks dead-letters lists them.',
    );
  }
  return { isActive: false, delivered: 0 };
}

async function attemptToSend(
  { keys, poster, clock, stop }: DeliveryContext,
  webhook: ClaimedWebhook,
  messageId: string,
  notification: string,
): Promise<Attempt> {
  let secret: string;
  try {
    secret = openSecret(keys, webhook.id, webhook);
  } catch (thrown) {
    if (!(thrown instanceof ReconError)) throw thrown;
    return { outcome: 'failed', reason: thrown.message, retryAfterMs: null };
  }
  // The statement that read it built the document.
  const document = JSON.parse(notification) as object;
  const { wrapper } = webhook;
  const request = notificationRequest(document, { secret, wrapper, messageId, now: clock() });
  return poster.post(webhook.url, request, stop);
}
