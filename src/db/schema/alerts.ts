import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/**
 * What is wrong at present, as far as alerts are concerned (design 11): one row for each condition that holds. A row is
 * written when the condition begins and deleted when it ends, and only these two changes are alerts. No fence: the
 * scheduler and `recon doctor --since` notice changes while no run is active.
 */
export const alertConditions = pgTable('alert_conditions', {
  /** `source-down:acquirer`, `file-missing:acquirer:2026-11-19` */
  key: identifier('key').primaryKey(),
  kind: identifier('kind').notNull(),
  /** The sentence of the alert. */
  message: text('message').notNull(),
  since: moment('since').notNull(),
});

/** Alerts to be sent, one row per channel, so that an alert that could not be sent goes out with the next one. */
export const alertMessages = pgTable(
  'alert_messages',
  {
    number: bigint('number', { mode: 'bigint' }).generatedAlwaysAsIdentity().primaryKey(),
    /** email | webhook | command */
    channel: identifier('channel').notNull(),
    alert: jsonb('alert').notNull(),
    createdAt: moment('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    lastError: text('last_error'),
    /** A process sends it; after this moment, that process was killed. */
    claimedUntil: moment('claimed_until'),
    sentAt: moment('sent_at'),
  },
  (table) => [
    index('alert_messages_waiting')
      .on(table.channel, table.number)
      .where(sql`sent_at is null`),
  ],
);
