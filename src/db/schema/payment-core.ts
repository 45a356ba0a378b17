import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';
import { payments } from './payments.js';

/**
 * Columns of an account number at rest: AES-256-GCM (nonce, tag and ciphertext as hexadecimal), and the id of its key.
 * Everything else in the database contains at most the first six and last four digits of a number. There is no hash of
 * it: beside these digits, a hash makes it easier to guess the rest.
 */
const sealedAccount = {
  accountSealed: text('account_sealed'),
  accountKeyId: identifier('account_key_id'),
};

/**
 * Details of a payment that the core processed itself, in addition to the narrow row in `payments`. Imported payments
 * have no row here. Captured, refunded and reversed amounts are not stored as sums: they are counted from the payment's
 * children while the root of the family is locked, so that imports and chargebacks booked by the reconciliation count
 * immediately.
 */
export const paymentDetails = pgTable(
  'payment_details',
  {
    paymentKey: bigint('payment_key', { mode: 'bigint' })
      .primaryKey()
      .references(() => payments.key),
    /** test | live */
    environment: identifier('environment').notNull(),
    /** Name of the connector that processed it. */
    connector: identifier('connector').notNull(),
    /** CC, DD, VA … as the query's paymentMethods. */
    paymentMethod: identifier('payment_method'),
    /** The request's parameters by their flat names, without anything secret. */
    parameters: jsonb('parameters').notNull(),
    /** What the connector answered: description, AVS and CVV results, details, risk, redirect, issuer. */
    answer: jsonb('answer').notNull(),
    /** The registration that was created with it, or that it was paid with. */
    registrationId: identifier('registration_id'),
    registrationCreated: boolean('registration_created').notNull().default(false),
    checkoutId: identifier('checkout_id'),
    /** standingInstruction.industryPractice: an INCREMENTAL_AUTH adds to the payment that it references. */
    industryPractice: identifier('industry_practice'),
    /** 1-98; null if the request did not have it. */
    numberOfCaptures: integer('number_of_captures'),
    /** FINAL on the last capture, refund or reversal. */
    sequence: identifier('sequence'),
    cardBin: identifier('card_bin'),
    cardLast4: identifier('card_last4'),
    ...sealedAccount,
    ndc: identifier('ndc').notNull(),
    respondedAt: moment('responded_at').notNull(),
  },
  (table) => [
    // Queries by method, and whether there are payments of another environment.
    index('payment_details_method').on(table.environment, table.paymentMethod, table.paymentKey),
    index('payment_details_checkout')
      .on(table.checkoutId)
      .where(sql`checkout_id is not null`),
    index('payment_details_registration')
      .on(table.registrationId)
      .where(sql`registration_id is not null`),
    index('payment_details_key')
      .on(table.accountKeyId)
      .where(sql`account_key_id is not null`),
    check('payment_details_captures', sql`number_of_captures between 1 and 98`),
    check('payment_details_sealed', sql`(account_sealed is null) = (account_key_id is null)`),
  ],
);

/** Stored payment details that later payments use. A deleted one keeps its row, without the number. */
export const registrations = pgTable(
  'registrations',
  {
    id: identifier('id').primaryKey(),
    environment: identifier('environment').notNull(),
    entityId: identifier('entity_id'),
    paymentBrand: identifier('payment_brand'),
    paymentMethod: identifier('payment_method'),
    /** The request's parameters by their flat names, without anything secret. */
    parameters: jsonb('parameters').notNull(),
    holder: text('holder'),
    expiryMonth: identifier('expiry_month'),
    expiryYear: identifier('expiry_year'),
    /** Name of the parameter whose value is sealed: card.number, bankAccount.iban … */
    accountField: identifier('account_field').notNull(),
    accountBin: identifier('account_bin'),
    accountLast4: identifier('account_last4'),
    ...sealedAccount,
    /** The scheme's reference of the first payment by the shopper, for the merchant's own that follow. */
    initialTransactionId: identifier('initial_transaction_id'),
    ndc: identifier('ndc').notNull(),
    createdAt: moment('created_at').notNull(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    index('registrations_key')
      .on(table.accountKeyId)
      .where(sql`account_key_id is not null`),
    check('registrations_sealed', sql`(account_sealed is null) = (account_key_id is null)`),
    check('registrations_deleted_are_empty', sql`deleted_at is null or account_sealed is null`),
  ],
);

/** A payment that is prepared now and paid in a later step. */
export const checkouts = pgTable('checkouts', {
  id: identifier('id').primaryKey(),
  environment: identifier('environment').notNull(),
  entityId: identifier('entity_id'),
  /** The request's parameters by their flat names, without anything secret, and its account numbers sealed. */
  parameters: jsonb('parameters').notNull(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
  expiresAt: moment('expires_at').notNull(),
  /** The minute in which its status was read last, and how often: reads may be limited per checkout. */
  statusMinute: moment('status_minute'),
  statusReads: integer('status_reads').notNull().default(0),
});

/** Payments that repeat over a registration (catalogue 2.24). */
export const jobs = pgTable(
  'jobs',
  {
    id: identifier('id').primaryKey(),
    environment: identifier('environment').notNull(),
    entityId: identifier('entity_id'),
    registrationId: identifier('registration_id').notNull(),
    name: text('name'),
    /** Seven Quartz fields, seconds first. */
    expression: text('expression').notNull(),
    parameters: jsonb('parameters').notNull(),
    /** active | ended | deleted */
    status: identifier('status').notNull(),
    startsAt: moment('starts_at').notNull(),
    /** There is no fire after it; null means until the job is deleted. */
    endsAt: moment('ends_at'),
    nextRunAt: moment('next_run_at'),
    /**
     * Fires that were missed and that the job's misfire policy skipped, and the planned moments of the last such gap.
     */
    skippedFires: integer('skipped_fires').notNull().default(0),
    skippedFrom: moment('skipped_from'),
    skippedTo: moment('skipped_to'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('jobs_due')
      .on(table.environment, table.nextRunAt)
      .where(sql`next_run_at is not null`),
    index('jobs_registration').on(table.registrationId),
  ],
);

/** One row per fire of a job: its key ensures that a fire makes one payment, however many processes find it due. */
export const jobRuns = pgTable(
  'job_runs',
  {
    jobId: identifier('job_id').notNull(),
    firedAt: moment('fired_at').notNull(),
    /** Null when the fire could not make a payment, for example because the registration was deleted. */
    paymentId: identifier('payment_id'),
    resultCode: identifier('result_code').notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.firedAt] })],
);

/** The outbox of notifications (operations 6), written in the transaction of the event that they report. */
export const paymentEvents = pgTable(
  'payment_events',
  {
    sequence: bigint('sequence', { mode: 'bigint' }).generatedAlwaysAsIdentity().primaryKey(),
    /** PAYMENT | REGISTRATION */
    type: identifier('type').notNull(),
    /** CREATED | UPDATED | DELETED */
    action: identifier('action').notNull(),
    resourceId: identifier('resource_id').notNull(),
    /** test | live: each has a separate queue. */
    environment: identifier('environment').notNull(),
    /** The entity of the payment or registration; null without an entity. */
    entityId: identifier('entity_id'),
    payload: jsonb('payload').notNull(),
    occurredAt: moment('occurred_at').notNull(),
    acknowledgedAt: moment('acknowledged_at'),
  },
  (table) => [
    index('payment_events_open')
      .on(table.environment, table.sequence)
      .where(sql`acknowledged_at is null`),
    index('payment_events_resource').on(table.resourceId),
    // For a replay and a purge. Events are nearly in the order of their time: each range of blocks has few days. Unlike
    // an entry for each event, this costs a payment nothing.
    index('payment_events_occurred').using('brin', table.occurredAt),
  ],
);

/** Requests counted per operation and entity in the current window (operations 8): shared by every process. */
export const throttleWindows = pgTable(
  'throttle_windows',
  {
    environment: identifier('environment').notNull(),
    operation: identifier('operation').notNull(),
    /** Empty for a caller without exactly one entity. */
    entityId: identifier('entity_id').notNull().default(''),
    startedAt: moment('started_at').notNull(),
    requests: integer('requests').notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.operation, table.entityId] })],
);

/**
 * Idempotency keys of requests: what each led to, written in the transaction that stored it. Rows older than a day are
 * removed with new ones.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    environment: identifier('environment').notNull(),
    /** Empty for a caller without exactly one entity. */
    entityId: identifier('entity_id').notNull(),
    key: identifier('key').notNull(),
    /** Keyed hash of the request, without security codes. */
    fingerprint: identifier('fingerprint').notNull(),
    /** payment | registration | checkout | job */
    resource: identifier('resource').notNull(),
    resourceId: identifier('resource_id').notNull(),
    /** The JSON that was answered, which holds no secret; null until then. */
    answer: text('answer'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment, table.entityId, table.key] }),
    index('idempotency_keys_created').on(table.createdAt),
  ],
);
