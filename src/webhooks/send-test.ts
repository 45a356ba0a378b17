import { randomBytes } from 'node:crypto';
import type { Sql } from '../db/client.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import { notificationRequest, type Wrapper } from './notification-request.js';
import { createPoster, type PosterSettings } from './post-notification.js';
import { openSecret } from './secrets.js';
import { webhookNotFound } from './subscriptions.js';

/** What became of a notification of type `test`. */
export interface TestResult {
  readonly webhook: string;
  readonly messageId: string;
  readonly delivered: boolean;
  /** The status of the answer, if it was 2xx. */
  readonly status: number | null;
  /** Why it was not delivered. */
  readonly reason: string | null;
  readonly durationMs: number;
}

/**
 * Sends a notification of type `test` at once, whether the webhook is paused or not. It changes nothing.
 *
 * @throws ReconError WEBHOOK_NOT_FOUND; CONFIG_INVALID when its key cannot be opened
 */
export async function sendTest(
  sql: Sql,
  id: string,
  {
    environment,
    keys,
    now,
    ...settings
  }: PosterSettings & { environment: Environment; keys: EncryptionKeys; now: number },
): Promise<TestResult> {
  const [row] = await sql<{ url: string; wrapper: Wrapper; keyId: string; sealed: string }[]>`
    select url, wrapper, secret_key_id as "keyId", secret_sealed as sealed
    from webhooks where id = ${id} and environment = ${environment}`;
  if (row === undefined) throw webhookNotFound(id);
  const messageId = `msg_${randomBytes(16).toString('hex')}`;
  const notification = {
    type: 'test',
    payload: { webhook: id, environment, timestamp: new Date(now).toISOString() },
  };
  const secret = openSecret(keys, id, row);
  const request = notificationRequest(notification, { secret, wrapper: row.wrapper, messageId, now });
  const poster = createPoster(settings, { clock: () => now });
  const begun = performance.now();
  try {
    const attempt = await poster.post(row.url, request, new AbortController().signal);
    return {
      webhook: id,
      messageId,
      delivered: attempt.outcome === 'delivered',
      status: attempt.outcome === 'delivered' ? attempt.status : null,
      reason: 'reason' in attempt ? attempt.reason : null,
      durationMs: Math.round(performance.now() - begun),
    };
  } finally {
    poster.close();
  }
}
