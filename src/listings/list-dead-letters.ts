import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';

/** A notification that was given up. */
export interface ListedDeadLetter {
  /** `webhook-id` of its requests. */
  readonly messageId: string;
  readonly webhookId: string;
  /** PAYMENT | REGISTRATION; null if its event is no longer stored. */
  readonly type: string | null;
  readonly action: string | null;
  /** The payment or registration. */
  readonly resourceId: string | null;
  readonly attempts: number;
  readonly lastError: string | null;
  /** ISO moments in UTC. */
  readonly queuedAt: string;
  readonly givenUpAt: string | null;
}

/**
 * The notifications that were given up, in the order of their events.
 *
 * @param webhookId only those of this webhook; null: of all
 */
export function deadLetterList(webhookId: string | null): ListSource<ListedDeadLetter> {
  return listSource<ListedDeadLetter, ListedDeadLetter>(
    (tx) => {
      const wanted = tx`d.status = 'dead' and (${webhookId}::text is null or d.webhook_id = ${webhookId})`;
      return {
        rows: tx`
          select d.message_id as "messageId", d.webhook_id as "webhookId", e.type, e.action,
            e.resource_id as "resourceId", d.attempts, d.last_error as "lastError", d.queued_at as "queuedAt",
            d.finished_at as "givenUpAt"
          from webhook_deliveries d left join payment_events e on e.sequence = d.sequence
          where ${wanted} order by d.sequence, d.webhook_id`,
        total: tx`select count(*)::integer as total from webhook_deliveries d where ${wanted}`,
      };
    },
    (letter) => ({
      ...letter,
      queuedAt: isoMoment(letter.queuedAt),
      givenUpAt: isoMoment(letter.givenUpAt),
    }),
  );
}
