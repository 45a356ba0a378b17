import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/**
 * Which report folder was delivered to which place of `reports.deliverTo` (design 11), and which is still to be
 * delivered. A row is written in the transaction that closes the run. No fence: a report is delivered after its run,
 * and `recon reports deliver` needs none.
 */
export const reportDeliveries = pgTable(
  'report_deliveries',
  {
    /** Its name in the configuration. */
    target: identifier('target').notNull(),
    /** `run-000017` */
    folder: identifier('folder').notNull(),
    /**
     * The SHA-256 of every manifest that was sent. A folder of the same name with another manifest belongs to somebody
     * else and is never replaced.
     */
    sent: text('sent').array().notNull(),
    requestedAt: moment('requested_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    lastError: text('last_error'),
    /** Null: to be delivered. */
    deliveredAt: moment('delivered_at'),
  },
  (table) => [
    primaryKey({ columns: [table.target, table.folder] }),
    index('report_deliveries_waiting')
      .on(table.target, table.requestedAt)
      .where(sql`delivered_at is null`),
  ],
);
