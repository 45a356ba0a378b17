import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/** What a person did with a file: `restore` takes an earlier `withdraw` back (design 4.8). */
export const withdrawalKind = pgEnum('withdrawal_kind', ['withdraw', 'restore']);

/**
 * Who withdrew or restored which file (design 4.8), in order. Rows are only added: the database refuses an update or a
 * delete. The latest row of a file says whether it is withdrawn; the next run acts on it. No fence: a person may
 * withdraw a file while a run is active.
 */
export const fileWithdrawals = pgTable(
  'file_withdrawals',
  {
    number: bigint('number', { mode: 'bigint' }).generatedAlwaysAsIdentity().primaryKey(),
    fileId: integer('file_id').notNull(),
    kind: withdrawalKind('kind').notNull(),
    reason: text('reason').notNull(),
    author: text('author').notNull(),
    decidedAt: moment('decided_at').notNull(),
  },
  (table) => [index('file_withdrawals_file').on(table.fileId, table.number)],
);

/** The files whose withdrawal is in effect: a run has taken their records out. */
export const withdrawnFiles = pgTable('withdrawn_files', {
  fileId: integer('file_id').primaryKey(),
  /** The run that took them out. */
  runId: integer('run_id').notNull(),
});

/** Why a record does not count; the first that applies. */
export const uncountedReason = pgEnum('uncounted_reason', ['WITHDRAWN', 'SUPERSEDED', 'REDELIVERED']);

/**
 * The records that do not count (design 4.8). One that is WITHDRAWN or SUPERSEDED is ignored: it has no payment and no
 * check applies to it. One that is REDELIVERED waits for a decision: it is matched, and takes no part in any sum.
 */
export const uncountedRecords = pgTable(
  'uncounted_records',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    reason: uncountedReason('reason').notNull(),
    /** Of SUPERSEDED: the record that replaces it; of REDELIVERED: the one that it would replace. */
    otherFileId: integer('other_file_id'),
    otherLine: integer('other_line'),
    /** The run that stored this. */
    runId: integer('run_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line] }),
    index('uncounted_records_other')
      .on(table.otherFileId, table.otherLine)
      .where(sql`other_file_id is not null`),
  ],
);

/**
 * By what a corrected delivery of a record is recognised (design 4.6, RECORD_REDELIVERED): a hash of its
 * SettlementTxId, types and payment reference. Only of the records that are not found by their payment, that is, those
 * that UniqueID alone did not match: an index over all records would make every load a tenth slower.
 */
export const deliveryKeys = pgTable(
  'delivery_keys',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    key: uuid('key').notNull(),
    /**
     * The UniqueID of a record that is not matched by it, usually because its payment was not stored. A later delivery
     * may find that payment, and then only this shows that the two are deliveries of one record.
     */
    awaitedId: identifier('awaited_id'),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line] }),
    index('delivery_keys_key').on(table.key),
    // As few as there are open items: each run looks up the payment of each.
    index('delivery_keys_awaited')
      .on(table.awaitedId)
      .where(sql`awaited_id is not null`),
  ],
);
