import type { Sql } from '../db/client.js';
import type { Environment } from '../payment-core/index.js';

/** How deliveries stand, for metrics and alerts. */
export interface DeliveryCounts {
  /** Notifications that wait, those of paused and disabled webhooks too. */
  readonly waiting: number;
  /** The age of the oldest of them in seconds; 0 if none waits. */
  readonly oldestWaitingSeconds: number;
  /** Notifications that were given up. */
  readonly dead: number;
  /** Active webhooks whose last attempt failed. */
  readonly failingWebhooks: number;
  /** Webhooks that their receiver disabled (410). */
  readonly disabledWebhooks: number;
}

/** How many notifications of an environment wait or were given up, for its metrics. */
export async function countDeliveries(sql: Sql, environment: Environment): Promise<DeliveryCounts> {
  const [row] = await sql<DeliveryCounts[]>`
    with ours as materialized (select id, status, failures from webhooks where environment = ${environment}),
      waiting as (
        select count(*)::int as number, coalesce(extract(epoch from now() - min(queued_at)), 0)::int as age
        from webhook_deliveries d join ours on ours.id = d.webhook_id where d.status = 'waiting')
    select waiting.number as waiting, greatest(waiting.age, 0) as "oldestWaitingSeconds",
      (select count(*)::int from webhook_deliveries d join ours on ours.id = d.webhook_id
        where d.status = 'dead') as dead,
      (select count(*)::int from ours where status = 'active' and failures > 0) as "failingWebhooks",
      (select count(*)::int from ours where status = 'disabled') as "disabledWebhooks"
    from waiting`;
  return row ?? { waiting: 0, oldestWaitingSeconds: 0, dead: 0, failingWebhooks: 0, disabledWebhooks: 0 };
}
