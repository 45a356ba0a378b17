import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgEnum, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/** The outcome of a payment, derived from its result code (design 5): only SUCCESS moved money. */
export const paymentOutcome = pgEnum('payment_outcome', ['SUCCESS', 'PENDING', 'FAILED']);

/**
 * The stored payments: one narrow row per payment, capture, reversal, refund or chargeback. It contains what matching
 * reads and `payments import` writes; everything else about a payment that the core processed itself is in
 * `payment_details`.
 *
 * `key` exists because findings about millions of records refer to payments: eight bytes instead of thirty-three in
 * every finding and in their index.
 */
export const payments = pgTable(
  'payments',
  {
    key: bigint('key', { mode: 'bigint' }).generatedByDefaultAsIdentity().primaryKey(),
    id: identifier('id').notNull(),
    shortId: identifier('short_id'),
    paymentType: identifier('payment_type').notNull(),
    paymentBrand: identifier('payment_brand'),
    /** Integer hundredths of `currency`. */
    amountMinor: bigint('amount_minor', { mode: 'bigint' }).notNull(),
    currency: identifier('currency').notNull(),
    resultCode: identifier('result_code').notNull(),
    outcome: paymentOutcome('outcome')
      .notNull()
      .generatedAlwaysAs(
        sql`case when result_code ~ '^(000\\.000\\.|000\\.100\\.1|000\\.[36]|000\\.400\\.1[12]0|000\\.400\\.0[^3]|000\\.400\\.100)' then 'SUCCESS'::payment_outcome when result_code ~ '^(000\\.200\\.|800\\.400\\.5|100\\.400\\.500)' then 'PENDING'::payment_outcome else 'FAILED'::payment_outcome end`,
      ),
    merchantTransactionId: identifier('merchant_transaction_id'),
    merchantInvoiceId: identifier('merchant_invoice_id'),
    entityId: identifier('entity_id'),
    connectorTxId1: identifier('connector_tx_id1'),
    connectorTxId2: identifier('connector_tx_id2'),
    connectorTxId3: identifier('connector_tx_id3'),
    accountNumberLast4: identifier('account_number_last4'),
    /** When the payment was made (`Timestamp` of the import, `timestamp` of the core's response). */
    requestedAt: moment('requested_at').notNull(),
    referencedPaymentId: identifier('referenced_payment_id'),
  },
  (table) => [
    uniqueIndex('payments_id').on(table.id),
    index('payments_short_id')
      .on(table.shortId)
      .where(sql`short_id is not null`),
    index('payments_connector_tx_id1')
      .on(table.connectorTxId1)
      .where(sql`connector_tx_id1 is not null`),
    index('payments_connector_tx_id2')
      .on(table.connectorTxId2)
      .where(sql`connector_tx_id2 is not null`),
    index('payments_connector_tx_id3')
      .on(table.connectorTxId3)
      .where(sql`connector_tx_id3 is not null`),
    index('payments_attributes')
      .on(table.entityId, table.accountNumberLast4, table.amountMinor, table.currency, table.requestedAt)
      .where(sql`entity_id is not null and account_number_last4 is not null`),
    // The pages of a query of one entity by type, the payment that was stored last first. The type costs no space.
    // Every key is above 0, but only a statement that says so can use this index. With old statistics, the planner
    // chose it for records that are matched by their attributes, and read all payments of the entity for each of them.
    index('payments_entity')
      .on(table.entityId, table.paymentType, table.key)
      .where(sql`entity_id is not null and key > 0`),
    index('payments_requested_at').on(table.requestedAt),
    index('payments_referenced')
      .on(table.referencedPaymentId)
      .where(sql`referenced_payment_id is not null`),
    // The few payments that matching must consider for every payment.
    index('payments_reversals')
      .on(table.referencedPaymentId)
      .where(sql`payment_type = 'RV' and outcome = 'SUCCESS' and referenced_payment_id is not null`),
    // In the order of `recon chargebacks list`: the chargebacks are few among all payments.
    index('payments_chargebacks')
      .on(table.requestedAt, table.key)
      .where(sql`payment_type = 'CB'`),
    index('payments_merchant_transaction_id')
      .on(table.merchantTransactionId)
      .where(sql`merchant_transaction_id is not null`),
  ],
);

/**
 * Why an import changed a value (design 5): it was empty before, a pending payment got its result, or the values
 * contradict each other and `--allow-changes` stored the new one.
 */
export const paymentChangeKind = pgEnum('payment_change_kind', ['FILLED', 'RESULT', 'CONTRADICTION']);

/**
 * What imports changed in payments that were stored before: one row per value, written by `payments import`; rows are
 * only added. Finance can see from it what a payment contained when an earlier run matched it.
 */
export const paymentChanges = pgTable(
  'payment_changes',
  {
    id: bigint('id', { mode: 'bigint' }).generatedByDefaultAsIdentity().primaryKey(),
    paymentId: identifier('payment_id').notNull(),
    /** The column of the payments file; the values are written as in that file. */
    column: identifier('column_name').notNull(),
    kind: paymentChangeKind('kind').notNull(),
    /** Null if there was no value. */
    oldValue: identifier('old_value'),
    newValue: identifier('new_value').notNull(),
    fileName: identifier('file_name').notNull(),
    fileSha256: identifier('file_sha256').notNull(),
    line: integer('line').notNull(),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [
    index('payment_changes_payment').on(table.paymentId, table.id),
    // The few imports that changed what is at risk in a finding; only contradictions do.
    index('payment_changes_of_money')
      .on(table.paymentId)
      .where(sql`column_name in ('Amount', 'Currency', 'PaymentType')`),
  ],
);
