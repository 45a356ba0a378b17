import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';

/** A receiver of notifications. Its key is stored sealed, and not listed. */
export interface ListedWebhook {
  readonly id: string;
  /** `failing`: active, but the last attempt failed; `disabled`: the receiver answered 410. */
  readonly status: 'active' | 'failing' | 'paused' | 'disabled';
  readonly environment: string;
  readonly entityIds: readonly string[];
  readonly types: readonly string[];
  readonly url: string;
  readonly wrapper: string;
  /** Notifications that wait, and that were given up. */
  readonly waiting: number;
  readonly dead: number;
  /** Attempts that failed since the last success. */
  readonly failures: number;
  readonly lastError: string | null;
  /** ISO moments in UTC. Null while it is paused or disabled, or nothing waits. */
  readonly nextAttemptAt: string | null;
  readonly lastAttemptAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** The webhooks, the newest first, each with what waits for it and what was given up. */
export function webhookList(): ListSource<ListedWebhook> {
  return listSource<ListedWebhook, ListedWebhook>(
    (tx) => ({
      rows: tx`
        with dead as materialized (select webhook_id from webhook_deliveries where status = 'dead')
        select id, case when status = 'active' and failures > 0 then 'failing' else status end as status,
          environment, entity_ids as "entityIds", types, url, wrapper, counted.waiting, counted.dead, failures,
          last_error as "lastError", last_attempt_at as "lastAttemptAt",
          case when status = 'active' and counted.waiting > 0 then next_attempt_at end as "nextAttemptAt",
          last_success_at as "lastSuccessAt", created_at as "createdAt", created_by as "createdBy"
        from webhooks, lateral (
          -- Each has its index. Counted together, they were looked for among all that was delivered.
          select (select count(*)::int from webhook_deliveries d
              where d.webhook_id = webhooks.id and d.status = 'waiting') as waiting,
            (select count(*)::int from dead where dead.webhook_id = webhooks.id) as dead
          -- So that they are counted once, though one of them is used twice.
          offset 0) counted
        order by created_at desc, id`,
      total: tx`select count(*)::integer as total from webhooks`,
    }),
    (webhook) => ({
      ...webhook,
      nextAttemptAt: isoMoment(webhook.nextAttemptAt),
      lastAttemptAt: isoMoment(webhook.lastAttemptAt),
      lastSuccessAt: isoMoment(webhook.lastSuccessAt),
      createdAt: isoMoment(webhook.createdAt),
    }),
  );
}
