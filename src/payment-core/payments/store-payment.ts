import type postgres from 'postgres';
import type { Sql, Tx } from '../../db/client.js';
import type { Permit } from '../core/permit.js';
import type { Environment } from '../fields/request-kinds.js';
import { insertionOfEvents, type NewEvent } from '../events/record-events.js';
import type { DescribedRegistration } from '../registrations/describe-registration.js';
import { insertionOfRegistration } from '../registrations/store-registration.js';
import type { DescribedPayment, SealedAccount } from './describe-payment.js';

/** Everything that a new payment writes. */
export interface PaymentWrites {
  readonly environment: Environment;
  readonly payment: DescribedPayment;
  readonly account: SealedAccount;
  /** The registration that the payment makes; null if it makes none. */
  readonly registration: DescribedRegistration | null;
  /** In their order. */
  readonly events: readonly NewEvent[];
  /** The right of the caller, if the statement must check it. Without it, nothing of the payment is stored. */
  readonly permit?: Permit;
}

/**
 * Stores payments, their details and their notifications in one statement, because a round trip costs more than what
 * the statement does. A payment whose id exists is skipped, so the statement can be sent again when its answer was
 * lost. The values travel as JSON documents whose names are those of the columns.
 */
export async function storePayments(sql: Sql | Tx, all: readonly PaymentWrites[]): Promise<void> {
  const payments = insertionOfPayments(sql, all, sql`true`);
  await sql`
    with stored as (${payments}), details as (${insertionOfDetails(sql, all)})
    ${insertionOfAllEvents(sql, all)}`;
}

/**
 * `storePayments` in the form that `Together` takes. Stores only payments whose permit is valid at that moment.
 *
 * @returns for each payment whether it was permitted
 */
export async function storeTogether(sql: Sql, all: readonly PaymentWrites[]): Promise<readonly boolean[]> {
  const permits = all.flatMap(({ permit }) => permit ?? []);
  const [first] = permits;
  if (first === undefined) {
    await storePayments(sql, all);
    return all.map(() => true);
  }
  const isPermitted = sql`given.permit is null or given.permit in (select key from valid)`;
  const rows = await sql<{ key: string }[]>`
    with valid (key) as materialized (${first.validKeys(sql, permits)}),
      stored as (${insertionOfPayments(sql, all, isPermitted)}), details as (${insertionOfDetails(sql, all)}),
      events as (${insertionOfAllEvents(sql, all)})
    select key from valid`;
  const valid = new Set(rows.map(({ key }) => key));
  return all.map(({ permit }) => permit === undefined || valid.has(permit.key));
}

function insertionOfAllEvents(sql: Sql | Tx, all: readonly PaymentWrites[]) {
  const events = all.flatMap((writes) => writes.events);
  return insertionOfEvents(sql, events, sql`exists (select from stored where id = event ->> 'resourceId')`);
}

/** Stores a payment, its details, its registration and its notifications in one statement, like `storePayments`. */
export async function storePayment(sql: Sql | Tx, writes: PaymentWrites): Promise<void> {
  const { environment, registration, events } = writes;
  if (registration === null) return storePayments(sql, [writes]);
  const isStored = sql`exists (select from stored)`;
  await sql`
    with stored as (${insertionOfPayments(sql, [writes], sql`true`)}), details as (${insertionOfDetails(sql, [writes])}),
      registration as (${insertionOfRegistration(environment, sql, registration, isStored)})
    ${insertionOfEvents(sql, events, isStored)}`;
}

function insertionOfPayments(
  sql: Sql | Tx,
  all: readonly PaymentWrites[],
  condition: postgres.PendingQuery<postgres.Row[]>,
) {
  const rows = JSON.stringify(all.map(({ payment, permit }) => paymentRow(payment, permit)));
  return sql`
    insert into payments (id, short_id, payment_type, payment_brand, amount_minor, currency, result_code,
      merchant_transaction_id, merchant_invoice_id, entity_id, connector_tx_id1, connector_tx_id2,
      connector_tx_id3, account_number_last4, requested_at, referenced_payment_id)
    select given.id, given.short_id, given.payment_type, given.payment_brand, given.amount_minor, given.currency,
      given.result_code, given.merchant_transaction_id, given.merchant_invoice_id, given.entity_id,
      given.connector_tx_id1, given.connector_tx_id2, given.connector_tx_id3, given.account_number_last4,
      given.requested_at, given.referenced_payment_id
    from jsonb_to_recordset(${rows}::text::jsonb) as given (permit text, id text, short_id text,
      payment_type text, payment_brand text, amount_minor bigint, currency text, result_code text,
      merchant_transaction_id text, merchant_invoice_id text, entity_id text, connector_tx_id1 text,
      connector_tx_id2 text, connector_tx_id3 text, account_number_last4 text, requested_at timestamptz,
      referenced_payment_id text)
    where ${condition}
    on conflict (id) do nothing
    returning key, id`;
}

function insertionOfDetails(sql: Sql | Tx, all: readonly PaymentWrites[]) {
  const rows = JSON.stringify(all.map(detailsRow));
  return sql`
    insert into payment_details (payment_key, environment, connector, payment_method, parameters, answer,
      registration_id, registration_created, checkout_id, industry_practice, number_of_captures, sequence,
      card_bin, card_last4, account_sealed, account_key_id, account_hash, ndc, responded_at)
    select stored.key, given.environment, given.connector, given.payment_method, given.parameters, given.answer,
      given.registration_id, given.registration_created, given.checkout_id, given.industry_practice,
      given.number_of_captures, given.sequence, given.card_bin, given.card_last4, given.account_sealed,
      given.account_key_id, given.account_hash, given.ndc, given.responded_at
    from stored join jsonb_to_recordset(${rows}::text::jsonb)
      as given (id text, environment text, connector text, payment_method text, parameters jsonb, answer jsonb,
      registration_id text, registration_created boolean, checkout_id text, industry_practice text,
      number_of_captures int, sequence text, card_bin text, card_last4 text, account_sealed text,
      account_key_id text, account_hash text, ndc text, responded_at timestamptz) on given.id = stored.id`;
}

function paymentRow(payment: DescribedPayment, permit: Permit | undefined): object {
  const [connector_tx_id1, connector_tx_id2, connector_tx_id3] = payment.connectorTxIds;
  return {
    permit: permit?.key,
    id: payment.id,
    short_id: payment.shortId,
    payment_type: payment.paymentType,
    payment_brand: payment.paymentBrand,
    amount_minor: payment.amountMinor.toString(),
    currency: payment.currency,
    result_code: payment.resultCode,
    merchant_transaction_id: payment.merchantTransactionId,
    merchant_invoice_id: payment.merchantInvoiceId,
    entity_id: payment.entityId,
    connector_tx_id1,
    connector_tx_id2,
    connector_tx_id3,
    account_number_last4: payment.accountNumberLast4,
    requested_at: payment.requestedAt,
    referenced_payment_id: payment.referencedPaymentId,
  };
}

function detailsRow({ environment, payment, account }: PaymentWrites): object {
  const { id, details, requestedAt } = payment;
  return {
    id,
    environment,
    connector: details.connector,
    payment_method: details.paymentMethod,
    parameters: details.parameters,
    answer: details.answer,
    registration_id: details.registrationId,
    registration_created: details.registrationCreated,
    checkout_id: details.checkoutId,
    industry_practice: details.industryPractice,
    number_of_captures: details.numberOfCaptures,
    sequence: details.sequence,
    card_bin: details.cardBin,
    card_last4: details.cardLast4,
    account_sealed: account.sealed,
    account_key_id: account.keyId,
    account_hash: account.hash,
    ndc: details.ndc,
    responded_at: requestedAt,
  };
}
