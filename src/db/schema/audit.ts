import { sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/**
 * Who did what, and when (design 11). Rows are only added: the database refuses an update, a truncate, and a delete of
 * rows that no checkpoint covers. Each row has the hash of the row before it (`src/db/audit-log/audit-hash.ts`), so
 * that a row that was changed, removed, inserted or moved by other means is found. No fence: people act while a run is
 * active.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    /** 1, 2, 3 … without a gap. */
    number: bigint('number', { mode: 'bigint' }).primaryKey(),
    /** The clock of the database server. */
    happenedAt: moment('happened_at').notNull(),
    author: text('author').notNull(),
    action: identifier('action').notNull(),
    /** The item, file, token, run or payment that it is about. */
    subject: identifier('subject').notNull(),
    /** A JSON object as text: the hash is over these bytes. */
    details: text('details').notNull(),
    /** Of the row before; 64 zeros in the first row. */
    previousHash: identifier('previous_hash').notNull(),
    hash: identifier('hash').notNull(),
  },
  (table) => [
    index('audit_events_subject').on(table.subject, table.number),
    // Each run asks for the latest.
    index('audit_events_configuration')
      .on(table.number)
      .where(sql`action = 'configuration.changed'`),
  ],
);

/**
 * Number and hash of the last audit event, in one row. Whoever adds an event locks it first, so that the chain has no
 * branches; it also shows that the last events were removed.
 */
export const auditHead = pgTable('audit_head', {
  singleton: boolean('singleton').primaryKey().default(true),
  number: bigint('number', { mode: 'bigint' }).notNull(),
  hash: identifier('hash').notNull(),
});

/** Up to which event retention removed the log. The event after it continues from this hash. Rows are only added. */
export const auditCheckpoints = pgTable('audit_checkpoints', {
  throughNumber: bigint('through_number', { mode: 'bigint' }).primaryKey(),
  hash: identifier('hash').notNull(),
  createdAt: moment('created_at').notNull(),
});
