import type { Tx } from '../../db/client.js';
import { storedMoment } from '../core/moments.js';
import { newId, newNdc, newShortId } from '../core/identifiers.js';
import type { CoreContext } from '../core/core-context.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import { useKey } from '../idempotency/keyed-operation.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import { maskAnswer } from './mask-answer.js';
import { readInstrument } from './instrument.js';
import type { PaymentIntent } from './payment-intent.js';
import type { StoredPayment } from './stored-payment.js';

/** A new payment before its connector answers. */
export interface NewPayment {
  readonly id: string;
  readonly connector: string;
  /** Chargebacks and their reversals are booked without a connector. */
  readonly intent: Omit<PaymentIntent, 'paymentType'> & {
    readonly paymentType: PaymentIntent['paymentType'] | 'CB' | 'CR';
  };
  /** A chargeback has the person or the token that booked it. */
  readonly answer: ConnectorAnswer & { readonly bookedBy?: string };
}

/** The binding of a sealed account number: it opens with this name only. */
export const boundToPayment = (id: string): string => `payment ${id}`;

/** The id of a new payment. */
export function newPaymentId(context: CoreContext): string {
  return newId(context.random);
}

/** Stores a payment and its details. Captures, reversals and refunds copy the account of the referenced payment. */
export async function storePayment(
  context: CoreContext,
  tx: Tx,
  { id, connector, intent, answer }: NewPayment,
): Promise<StoredPayment> {
  const { parameters, referenced } = intent;
  const { open: own } = splitSecrets(parameters);
  const instrument = readInstrument(parameters);
  const followsUp = instrument.number === null && referenced !== null;
  const open = followsUp ? { ...cardOf(referenced), ...own } : own;
  const payment: Omit<StoredPayment, 'key'> = {
    id,
    shortId: newShortId(context.random),
    paymentType: intent.paymentType,
    paymentBrand: parameters['paymentBrand'] ?? answer.brandResult ?? referenced?.paymentBrand ?? null,
    amountMinor: intent.amountMinor,
    currency: intent.currency,
    resultCode: answer.resultCode,
    merchantTransactionId: parameters['merchantTransactionId'] ?? null,
    merchantInvoiceId: parameters['merchantInvoiceId'] ?? null,
    entityId: parameters['entityId'] ?? referenced?.entityId ?? null,
    connectorTxIds: (answer.connectorTxIds ?? []).slice(0, 3),
    accountNumberLast4: followsUp ? referenced.accountNumberLast4 : instrument.last4,
    requestedAt: storedMoment(context.clock()),
    referencedPaymentId: referenced?.id ?? null,
    details: {
      connector,
      paymentMethod: followsUp ? (referenced.details?.paymentMethod ?? null) : instrument.method,
      parameters: open,
      answer: maskAnswer(answer, parameters),
      registrationId: intent.registration?.id ?? null,
      registrationCreated: false,
      checkoutId: intent.checkoutId,
      industryPractice: parameters['standingInstruction.industryPractice'] ?? null,
      numberOfCaptures: readCount(parameters['numberOfCaptures']),
      sequence: parameters['sequence'] ?? null,
      cardBin: followsUp ? (referenced.details?.cardBin ?? null) : instrument.bin,
      cardLast4: followsUp ? (referenced.details?.cardLast4 ?? null) : cardLast4Of(instrument),
      // Integrations find the order of a notification by the id of its checkout.
      ndc: intent.checkoutId ?? newNdc(context.random),
    },
  };
  const key = await insertPayment(tx, payment);
  await insertDetails(context, tx, { ...payment, key }, parameters);
  await useKey(context, tx, 'payment', id);
  return { ...payment, key };
}

const cardDetails = ['card.holder', 'card.expiryMonth', 'card.expiryYear'] as const;

/** Holder and expiry of the referenced payment's card (operations 2.5). */
function cardOf({ details }: StoredPayment): Record<string, string> {
  const parameters = details?.parameters ?? {};
  return Object.fromEntries(
    cardDetails.flatMap((name) => {
      const value = parameters[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function readCount(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function cardLast4Of(instrument: ReturnType<typeof readInstrument>): string | null {
  return instrument.method === 'CC' ? instrument.last4 : null;
}

async function insertPayment(tx: Tx, payment: Omit<StoredPayment, 'key'>): Promise<string> {
  const [tx1 = null, tx2 = null, tx3 = null] = payment.connectorTxIds;
  const rows = await tx<{ key: string }[]>`
    insert into payments (id, short_id, payment_type, payment_brand, amount_minor, currency, result_code,
      merchant_transaction_id, merchant_invoice_id, entity_id, connector_tx_id1, connector_tx_id2,
      connector_tx_id3, account_number_last4, requested_at, referenced_payment_id)
    select ${payment.id}::text, ${payment.shortId}::text, ${payment.paymentType}::text,
      ${payment.paymentBrand}::text, ${payment.amountMinor.toString()}::text::bigint,
      ${payment.currency}::text, ${payment.resultCode}::text, ${payment.merchantTransactionId}::text,
      ${payment.merchantInvoiceId}::text, ${payment.entityId}::text, ${tx1}::text, ${tx2}::text, ${tx3}::text,
      ${payment.accountNumberLast4}::text, ${payment.requestedAt}::text::timestamptz,
      ${payment.referencedPaymentId}::text
    returning key::text`;
  return rows[0]?.key ?? '';
}

async function insertDetails(
  context: CoreContext,
  tx: Tx,
  payment: StoredPayment,
  parameters: PaymentIntent['parameters'],
): Promise<void> {
  const { details } = payment;
  if (details === null) return;
  const { accounts } = splitSecrets(parameters);
  const { number } = readInstrument(parameters);
  const sealed =
    Object.keys(accounts).length === 0
      ? null
      : context.vault.seal(JSON.stringify(accounts), boundToPayment(payment.id));
  await tx`
    insert into payment_details (payment_key, environment, connector, payment_method, parameters, answer,
      registration_id, checkout_id, industry_practice, number_of_captures, sequence, card_bin, card_last4,
      account_sealed, account_key_id, account_hash, ndc, responded_at)
    select ${payment.key}::text::bigint, ${context.environment}::text, ${details.connector}::text,
      ${details.paymentMethod}::text, ${JSON.stringify(details.parameters)}::text::jsonb,
      ${JSON.stringify(details.answer)}::text::jsonb, ${details.registrationId}::text,
      ${details.checkoutId}::text, ${details.industryPractice}::text, ${details.numberOfCaptures}::int,
      ${details.sequence}::text, ${details.cardBin}::text, ${details.cardLast4}::text,
      ${sealed?.sealed ?? null}::text, ${sealed?.keyId ?? null}::text,
      ${number === null ? null : context.vault.lookupHash(number)}::text, ${details.ndc}::text,
      ${payment.requestedAt}::text::timestamptz`;
}
