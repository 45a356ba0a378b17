import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  text,
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

/**
 * Every finding about a record (`fileId`, `line`) or a payment (only `paymentKey`). The id is derived from the code and
 * the record, or from the code and the payment where the payment as a whole is wrong, so a finding keeps its id and its
 * first run, however often it is found again; `resolvedRun` closes one that no longer holds.
 */
export const discrepancies = pgTable(
  'discrepancies',
  {
    id: identifier('id').primaryKey(),
    code: identifier('code').notNull(),
    /** error | warning | info */
    severity: identifier('severity').notNull(),
    fileId: integer('file_id'),
    line: integer('line'),
    paymentKey: bigint('payment_key', { mode: 'bigint' }),
    expected: text('expected'),
    actual: text('actual'),
    /** Hundredths, actual minus expected, for findings about amounts. */
    differenceMinor: bigint('difference_minor', { mode: 'bigint' }),
    message: text('message').notNull(),
    firstSeenRun: integer('first_seen_run').notNull(),
    resolvedRun: integer('resolved_run'),
    /**
     * Hundredths at risk in a finding that an accept settles, and their currency, as the last run noted them
     * (`src/items/note-accepted.ts`). Null of every other finding, and as soon as its facts change: nobody has compared
     * them with the decision yet.
     */
    acceptedAtRiskMinor: bigint('accepted_at_risk_minor', { mode: 'bigint' }),
    acceptedCurrency: identifier('accepted_currency'),
    /** One column, because the planner takes the two conditions for independent, and they are not. */
    isSettled: boolean('is_settled')
      .notNull()
      .generatedAlwaysAs(sql`resolved_run is not null or accepted_at_risk_minor is not null`),
  },
  (table) => [
    index('discrepancies_record')
      .on(table.fileId, table.line)
      .where(sql`file_id is not null`),
    // What is looked up by its payment, or among all open findings because its record is matched again. An entry for
    // each finding by payment and by code took a quarter of the time of storing one.
    index('discrepancies_looked_up')
      .on(table.paymentKey)
      .where(
        sql`resolved_run is null and (file_id is null or code in ('MISSING_SETTLEMENT', 'DUPLICATE_SETTLEMENT', 'AMOUNT_MISMATCH', 'SETTLEMENT_FAILED', 'CHARGEBACK_EXCEEDS_PAYMENT', 'CHARGEBACK_BOOKED_TWICE', 'REVERSAL_WITHOUT_CHARGEBACK', 'TYPE_MISMATCH', 'PAYMENT_NOT_SUCCESSFUL'))`,
      ),
    // A run lists what it resolved: without this, it would read the findings of every year.
    index('discrepancies_resolved')
      .on(table.resolvedRun)
      .where(sql`resolved_run is not null`),
    // What each run lists and compares with its decisions: not what was accepted in all years.
    index('discrepancies_unsettled')
      .on(table.firstSeenRun)
      .where(sql`not is_settled`),
    // All that the counts and ages of accepted items need.
    index('discrepancies_accepted')
      .on(table.firstSeenRun, table.severity, table.acceptedCurrency, table.acceptedAtRiskMinor)
      .where(sql`resolved_run is null and accepted_at_risk_minor is not null`),
  ],
);

/**
 * Up to which decision the last run compared accepted findings with their decisions (`src/items/note-accepted.ts`). One
 * row, or none before the first run.
 */
export const acceptChecks = pgTable('accept_checks', {
  singleton: boolean('singleton').primaryKey().default(true),
  lastDecision: bigint('last_decision', { mode: 'bigint' }).notNull(),
});

/**
 * The values that a finding had before a run changed, resolved or reopened it, so that two runs can be compared
 * (`recon diff`). A run writes at most one row for a finding.
 */
export const discrepancyChanges = pgTable(
  'discrepancy_changes',
  {
    id: identifier('id').notNull(),
    /** The run that changed it. */
    runId: integer('run_id').notNull(),
    severity: identifier('severity').notNull(),
    fileId: integer('file_id'),
    line: integer('line'),
    expected: text('expected'),
    actual: text('actual'),
    differenceMinor: bigint('difference_minor', { mode: 'bigint' }),
    resolvedRun: integer('resolved_run'),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.runId] }),
    index('discrepancy_changes_run').on(table.runId),
  ],
);

/** The result that a record had before a run changed it, for the same purpose. */
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

/**
 * Up to where the last runs looked for payments without a settlement
 * (`src/matching/discrepancies/payments-to-check.ts`), so that a run looks at what is new and not at every payment of
 * the look-back.
 */
export const settlementChecks = pgTable('settlement_checks', {
  runId: integer('run_id').primaryKey(),
  asOf: date('as_of', { mode: 'string' }).notNull(),
  /** The settings that decide which payments are due: after a change of them, every payment is looked at. */
  settings: identifier('settings').notNull(),
  lastPaymentKey: bigint('last_payment_key', { mode: 'bigint' }).notNull(),
  /** Of `payment_changes`. */
  lastChange: bigint('last_change', { mode: 'bigint' }).notNull(),
  /** The oldest transaction that was open when the run began to match, and the one in which it matched. */
  oldestTransaction: bigint('oldest_transaction', { mode: 'bigint' }).notNull(),
  ownTransaction: bigint('own_transaction', { mode: 'bigint' }).notNull(),
});

/** Payments that the next run looks at again: the pending ones, and those that a re-run took a record from. */
export const paymentsToCheck = pgTable('payments_to_check', {
  paymentKey: bigint('payment_key', { mode: 'bigint' }).primaryKey(),
});
