import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/** Who receives which notifications (design 10). */
export const webhooks = pgTable('webhooks', {
  id: identifier('id').primaryKey(),
  /** test | live: the payments of one environment. */
  environment: identifier('environment').notNull(),
  entityIds: text('entity_ids').array().notNull(),
  /** PAYMENT | REGISTRATION */
  types: text('types').array().notNull(),
  url: text('url').notNull(),
  /** none | json: how the encrypted body is sent. */
  wrapper: identifier('wrapper').notNull(),
  /** The key of the receiver, sealed with the encryption key of this name. */
  secretKeyId: identifier('secret_key_id').notNull(),
  secretSealed: text('secret_sealed').notNull(),
  /** active | paused (by a person) | disabled (the receiver answered 410) */
  status: identifier('status').notNull().default('active'),
  createdAt: moment('created_at').notNull(),
  createdBy: text('created_by').notNull(),
  /** Attempts that failed since the last one that succeeded. */
  failures: integer('failures').notNull().default(0),
  /** Nothing is sent before; null: at once. */
  nextAttemptAt: moment('next_attempt_at'),
  lastAttemptAt: moment('last_attempt_at'),
  lastSuccessAt: moment('last_success_at'),
  /** Why the last attempt failed; null after a success. */
  lastError: text('last_error'),
  /** One process at a time delivers to a webhook. Its claim ends without its help, so a killed one blocks nobody. */
  claimedBy: text('claimed_by'),
  claimedUntil: moment('claimed_until'),
});

/** What a webhook received or is to receive: a row for each event, written with it by a trigger on payment_events. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    webhookId: identifier('webhook_id').notNull(),
    /** The event. Its order is the order of delivery. */
    sequence: bigint('sequence', { mode: 'bigint' }).notNull(),
    /** `webhook-id` of the request: the same in every attempt, so that the receiver recognises a repeated one. */
    messageId: identifier('message_id')
      .notNull()
      .default(sql`'msg_' || replace(gen_random_uuid()::text, '-', '')`),
    /** waiting | delivered | dead */
    status: identifier('status').notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    /** Its 30 days begin here. */
    queuedAt: moment('queued_at').notNull().defaultNow(),
    lastAttemptAt: moment('last_attempt_at'),
    /** When it was delivered or given up. */
    finishedAt: moment('finished_at'),
    lastError: text('last_error'),
  },
  (table) => [
    primaryKey({ columns: [table.webhookId, table.sequence] }),
    uniqueIndex('webhook_deliveries_message').on(table.messageId),
    index('webhook_deliveries_waiting')
      .on(table.webhookId, table.sequence)
      .where(sql`status = 'waiting'`),
    index('webhook_deliveries_finished').on(table.status, table.finishedAt),
  ],
);

/**
 * What the `notificationUrl` of a payment is to receive, or received (operations 6): one row for the outcome of a
 * payment that was pending, written with it.
 */
export const statusUpdates = pgTable(
  'status_updates',
  {
    paymentId: identifier('payment_id').primaryKey(),
    /** test | live */
    environment: identifier('environment').notNull(),
    url: text('url').notNull(),
    /** `id` and `resourcePath`, with which the receiver reads the payment. */
    resourceId: identifier('resource_id').notNull(),
    resourcePath: text('resource_path').notNull(),
    /** waiting | delivered | dead */
    status: identifier('status').notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    /** Its 30 days begin here. */
    queuedAt: moment('queued_at').notNull().defaultNow(),
    /** Nothing is sent before; null: at once. */
    nextAttemptAt: moment('next_attempt_at'),
    /** One process at a time sends it. Its claim ends without its help, so a killed one blocks nobody. */
    claimedUntil: moment('claimed_until'),
    /** When it was delivered or given up. */
    finishedAt: moment('finished_at'),
    lastError: text('last_error'),
  },
  (table) => [
    index('status_updates_waiting')
      .on(table.environment, table.queuedAt)
      .where(sql`status = 'waiting'`),
    index('status_updates_finished').on(table.finishedAt),
  ],
);
