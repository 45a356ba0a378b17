import { bigint, boolean, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { identifier } from './column-types.js';

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
