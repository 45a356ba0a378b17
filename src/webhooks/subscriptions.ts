import { randomBytes } from 'node:crypto';
import type { Sql } from '../db/client.js';
import { inPooledTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import type { Wrapper } from './notification-request.js';
import { newSecret, sealSecret, signingSecretOf } from './secrets.js';
import { urlProblem, type AllowedHosts } from './webhook-url.js';

/** What a webhook may report (operations 6). */
export const eventTypes = ['PAYMENT', 'REGISTRATION'] as const;
/** See {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];

/** A new subscription. */
export interface WebhookRequest {
  readonly environment: Environment;
  readonly entityIds: readonly string[];
  readonly types: readonly EventType[];
  readonly url: string;
  readonly wrapper: Wrapper;
  /** Who added it. */
  readonly author: string;
}

/** A webhook that was just added. Its key is shown once, since it is stored sealed. */
export interface NewWebhook {
  readonly id: string;
  /** 64 hexadecimal digits: decrypts the notifications. */
  readonly key: string;
  /** The same 32 bytes for verifiers of standard-webhooks. */
  readonly signingSecret: string;
}

const lockTimeout = '15s';

/** @throws ReconError USAGE_INVALID when the URL may not receive notifications */
export async function addWebhook(
  sql: Sql,
  request: WebhookRequest,
  { keys, allowed }: { readonly keys: EncryptionKeys; readonly allowed: AllowedHosts },
): Promise<NewWebhook> {
  const problem = urlProblem(request.url, allowed);
  if (problem !== null) throw new ReconError('USAGE_INVALID', `--url ${problem}.`);
  const id = randomBytes(8).toString('hex');
  const key = newSecret(randomBytes);
  const { keyId, sealed } = sealSecret(keys, id, key, randomBytes);
  const { environment, entityIds, types, url, wrapper, author } = request;
  await inPooledTransaction(
    sql,
    (tx) => tx`
      insert into webhooks (id, environment, entity_ids, types, url, wrapper, secret_key_id, secret_sealed,
        created_at, created_by)
      values (${id}, ${environment}, ${[...new Set(entityIds)]}, ${[...new Set(types)]}, ${new URL(url).href},
        ${wrapper}, ${keyId}, ${sealed}, now(), ${author})`,
    lockTimeout,
  );
  return { id, key, signingSecret: signingSecretOf(key) };
}

/**
 * Removes a webhook and everything that it has not received.
 *
 * @returns how many notifications waited for it
 * @throws ReconError WEBHOOK_NOT_FOUND
 */
export async function removeWebhook(sql: Sql, id: string): Promise<number> {
  return inPooledTransaction(
    sql,
    async (tx) => {
      const removed = await tx`delete from webhooks where id = ${id}`;
      if (removed.count === 0) throw webhookNotFound(id);
      const [dropped] = await tx<{ waiting: number }[]>`
        with gone as (delete from webhook_deliveries where webhook_id = ${id} returning status)
        select count(*) filter (where status = 'waiting')::int as waiting from gone`;
      return dropped?.waiting ?? 0;
    },
    lockTimeout,
  );
}

/** Sends nothing more to a webhook until it is resumed; its notifications wait. */
export async function pauseWebhook(sql: Sql, id: string): Promise<void> {
  const rows = await inPooledTransaction(
    sql,
    (tx) => tx`update webhooks set status = 'paused' where id = ${id}`,
    lockTimeout,
  );
  if (rows.count === 0) throw webhookNotFound(id);
}

/**
 * Sends at once what waits, even after a 410 or while the webhook waits for its next attempt. The 30 days of what waits
 * begin again.
 *
 * @returns how many notifications wait
 * @throws ReconError WEBHOOK_NOT_FOUND
 */
export async function resumeWebhook(sql: Sql, id: string): Promise<number> {
  return inPooledTransaction(
    sql,
    async (tx) => {
      const resumed = await tx`
        update webhooks set status = 'active', failures = 0, next_attempt_at = null where id = ${id}`;
      if (resumed.count === 0) throw webhookNotFound(id);
      const waiting = await tx`
        update webhook_deliveries set queued_at = now()
        where webhook_id = ${id} and status = 'waiting'`;
      return waiting.count;
    },
    lockTimeout,
  );
}

/** The error for the id of a webhook that does not exist. */
export function webhookNotFound(id: string): ReconError {
  return new ReconError('WEBHOOK_NOT_FOUND', `There is no webhook ${id}.`);
}
