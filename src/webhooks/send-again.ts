import type { Sql, Tx } from '../db/client.js';
import { inPooledTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { webhookNotFound } from './subscriptions.js';

const lockTimeout = '15s';

/** Notifications that were queued again. */
export interface QueuedAgain {
  readonly webhookId: string;
  /** Anything but `active`: they wait until it is resumed. */
  readonly status: string;
  readonly queued: number;
}

/**
 * Queues the events of a webhook since a moment again, including those that it received, in their order and before what
 * is newer. Each keeps its `webhook-id`. What it received since then is queued again even if it happened earlier: a
 * chargeback of a settlement file happened on the day of its settlement, and is reported when the file is read.
 *
 * @param since ISO moment
 * @throws ReconError WEBHOOK_NOT_FOUND
 */
export async function replayEvents(sql: Sql, id: string, since: string): Promise<QueuedAgain> {
  return inPooledTransaction(
    sql,
    async (tx) => {
      const status = await wake(tx, id);
      const queued = await tx`
        insert into webhook_deliveries as d (webhook_id, sequence, queued_at)
        select w.id, e.sequence, now()
        from webhooks w join payment_events e on e.environment = w.environment and e.type = any(w.types)
          and e.entity_id = any(w.entity_ids)
        where w.id = ${id} and e.occurred_at >= ${since}::text::timestamptz
        union
        select webhook_id, sequence, now() from webhook_deliveries
        where webhook_id = ${id} and status = 'delivered' and finished_at >= ${since}::text::timestamptz
        on conflict (webhook_id, sequence) do update set status = 'waiting', attempts = 0,
          queued_at = excluded.queued_at, finished_at = null, last_error = null
        where d.status <> 'waiting'`;
      return { webhookId: id, status, queued: queued.count };
    },
    lockTimeout,
  );
}

/**
 * Queues notifications again that were given up: all of a webhook, or one.
 *
 * @param id of a webhook or of a notification (`msg_…`)
 * @throws ReconError WEBHOOK_NOT_FOUND, also for a notification that was not given up
 */
export async function retryDeadLetters(sql: Sql, id: string): Promise<QueuedAgain> {
  return inPooledTransaction(
    sql,
    async (tx) => {
      const isMessage = id.startsWith('msg_');
      const [again] = await tx<{ webhookId: string | null; queued: number }[]>`
        with again as (
        update webhook_deliveries set status = 'waiting', queued_at = now(), finished_at = null
        where status = 'dead' and ${isMessage ? tx`message_id` : tx`webhook_id`} = ${id}
        returning webhook_id)
        select min(webhook_id) as "webhookId", count(*)::int as queued from again`;
      const { webhookId: found = null, queued = 0 } = again ?? {};
      if (isMessage && found === null) {
        throw new ReconError('WEBHOOK_NOT_FOUND', `There is no notification ${id} that was given up.`);
      }
      const webhookId = found ?? id;
      return { webhookId, status: await wake(tx, webhookId), queued };
    },
    lockTimeout,
  );
}

/** Its next attempt is made now; a webhook that is paused or disabled stays so. @returns its status */
async function wake(tx: Tx, id: string): Promise<string> {
  const [woken] = await tx<{ status: string }[]>`
    update webhooks set next_attempt_at = null where id = ${id} returning status`;
  if (woken === undefined) throw webhookNotFound(id);
  return woken.status;
}
