import {
  bigint,
  boolean,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { identifier } from './column-types.js';
import { decisionKind } from './decisions.js';

/**
 * Findings about records are stored apart from the records (design 9, facts and findings): a re-run rewrites narrow
 * rows and never changes a fact.
 */
export const matchingStatus = pgEnum('matching_status', [
  'MATCHED',
  'MULTIPLE_MATCHES',
  'NOT_MATCHED',
  'NOT_APPLICABLE',
]);

/**
 * Strongest key first; the order of this list is the order in which keys are tried (design 4.4). MANUAL is not a key: a
 * person linked the record to the payment (design 4.9).
 */
export const matchedBy = pgEnum('matched_by', [
  'MANUAL',
  'UNIQUE_ID',
  'SHORT_ID',
  'CONNECTOR_TX_ID',
  'ATTRIBUTES',
]);

/** One row per record that has been matched; a record without one still has to be matched. */
export const recordMatches = pgTable(
  'record_matches',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    status: matchingStatus('status').notNull(),
    matchedBy: matchedBy('matched_by'),
    /** The payment of a MATCHED record, else null. */
    paymentKey: bigint('payment_key', { mode: 'bigint' }),
    /** REFERENCE when the key found payments of other types, and their family has one that fits; else null. */
    matchedThrough: identifier('matched_through'),
    /** The run that first found this result; unchanged when a later run finds the same. */
    runId: integer('run_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line] }),
    index('record_matches_payment')
      .on(table.paymentKey)
      .where(sql`payment_key is not null`),
    index('record_matches_open')
      .on(table.fileId, table.line)
      .where(sql`status in ('NOT_MATCHED', 'MULTIPLE_MATCHES') or matched_by = 'ATTRIBUTES'`),
  ],
);

/**
 * The links and unlinks by people (design 4.9) that the stored result of a record is based on. Where they differ from
 * the decisions in effect, the next run or re-run of the record matches it again.
 */
export const appliedLinks = pgTable(
  'applied_links',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** link | unlink */
    kind: decisionKind('kind').notNull(),
    paymentKey: bigint('payment_key', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.line, table.paymentKey] })],
);

/** The payments between which a MULTIPLE_MATCHES record could not be decided. */
export const matchCandidates = pgTable(
  'match_candidates',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    paymentKey: bigint('payment_key', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line, table.paymentKey] }),
    index('match_candidates_payment').on(table.paymentKey),
  ],
);

/**
 * The payments left to a SETTLED record when type, success and amount had left several, and whether each still had room
 * (design 4.4 d). The record is judged again when the room of one of them changes, whatever its age: hence the index.
 */
export const roomCandidates = pgTable(
  'room_candidates',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    paymentKey: bigint('payment_key', { mode: 'bigint' }).notNull(),
    /** Not yet settled in full by records that are matched to it without asking for room. */
    hasRoom: boolean('has_room').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line, table.paymentKey] }),
    index('room_candidates_payment').on(table.paymentKey),
  ],
);

/**
 * The identifiers of records that a weaker key matched, except those of keys that are weaker still: the UniqueID and
 * the ShortId of a record that ShortId matched, for example. If a payment with one of them is stored later, the record
 * is matched again (design 4.6). Nothing else leads from such a payment to the record.
 */
export const awaitedIdentifiers = pgTable(
  'awaited_identifiers',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** The column of the record: unique_id, short_id, connector_tx_id1 to connector_tx_id3. */
    identifier: identifier('identifier').notNull(),
    value: identifier('value').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line, table.identifier] }),
    index('awaited_identifiers_value').on(table.value),
  ],
);

/**
 * Chargeback ids assigned to CHARGEBACK and CHARGEBACK REVERSAL records. An assigned id never changes; a link is
 * inactive while its record does not count (design 4.8), and its booking then has the amount 0.
 */
export const chargebackLinks = pgTable(
  'chargeback_links',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** CHARGEBACK | CHARGEBACK REVERSAL */
    kind: identifier('kind').notNull(),
    chargebackId: identifier('chargeback_id').notNull(),
    /** Id of the booked payment: the chargeback id itself (CB) or a separate id (CR). */
    bookingId: identifier('booking_id').notNull(),
    paymentKey: bigint('payment_key', { mode: 'bigint' }).notNull(),
    runId: integer('run_id').notNull(),
    active: boolean('active').notNull().default(true),
    /**
     * Of a removed record with the booking of the record that it superseded: the id that is derived from the removed
     * one. A file may bring it again.
     */
    ownBookingId: identifier('own_booking_id'),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line] }),
    uniqueIndex('chargeback_links_booking')
      .on(table.bookingId)
      .where(sql`active`),
    index('chargeback_links_own_booking')
      .on(table.ownBookingId)
      .where(sql`own_booking_id is not null`),
    uniqueIndex('chargeback_links_one_chargeback')
      .on(table.chargebackId)
      .where(sql`active and kind = 'CHARGEBACK'`),
    // Several reversals may each return a part of a chargeback.
    index('chargeback_links_chargeback')
      .on(table.chargebackId, table.kind)
      .where(sql`active`),
    index('chargeback_links_payment').on(table.paymentKey),
  ],
);

/** The result that a record had before a run changed it, so that two runs can be compared (`recon diff`). */
export const matchChanges = pgTable(
  'match_changes',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** The run that changed it. */
    runId: integer('run_id').notNull(),
    status: matchingStatus('status').notNull(),
    matchedBy: matchedBy('matched_by'),
    matchedThrough: identifier('matched_through'),
    /** The ids of its payments, ascending and separated by commas. */
    payments: identifier('payments'),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line, table.runId] }),
    index('match_changes_run').on(table.runId),
  ],
);
