import type { CallerPermission } from '../core/caller-permission.js';
import type { Environment } from '../fields/request-kinds.js';
import type { NewEvent } from '../events/record-events.js';
import type { DescribedRegistration } from '../stored-registrations/describe-registration.js';
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
  /** The permission of the caller, if the statement must check it. Without it, nothing of the payment is stored. */
  readonly permission?: CallerPermission;
  /** The statement was sent before, and its answer was lost: the payment may be stored. */
  readonly mayBeStored?: true;
}

/** The columns of `payments` that a new payment fills, with the type that each value is cast to. */
export const paymentRowColumns = {
  id: 'text',
  short_id: 'text',
  payment_type: 'text',
  payment_brand: 'text',
  amount_minor: 'bigint',
  currency: 'text',
  result_code: 'text',
  merchant_transaction_id: 'text',
  merchant_invoice_id: 'text',
  entity_id: 'text',
  connector_tx_id1: 'text',
  connector_tx_id2: 'text',
  connector_tx_id3: 'text',
  account_number_last4: 'text',
  requested_at: 'timestamptz',
  referenced_payment_id: 'text',
} as const;

/** The columns of `payment_details` that a new payment fills, without the key, with the type of each. */
export const detailsColumns = {
  environment: 'text',
  connector: 'text',
  payment_method: 'text',
  parameters: 'jsonb',
  answer: 'jsonb',
  registration_id: 'text',
  registration_created: 'boolean',
  checkout_id: 'text',
  industry_practice: 'text',
  number_of_captures: 'int',
  sequence: 'text',
  card_bin: 'text',
  card_last4: 'text',
  account_sealed: 'text',
  account_key_id: 'text',
  ndc: 'text',
  responded_at: 'timestamptz',
} as const;

type Value = string | number | boolean | object | null | undefined;
/** A row of `payments` as it is written. */
export type PaymentRow = Readonly<Record<keyof typeof paymentRowColumns, Value>>;
/** A row of `payment_details` as it is written. */
export type DetailsRow = Readonly<Record<keyof typeof detailsColumns, Value>>;

/** The row of `payments` for a new payment. */
export function paymentRow(payment: DescribedPayment): PaymentRow {
  const [connector_tx_id1, connector_tx_id2, connector_tx_id3] = payment.connectorTxIds;
  return {
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

/** The row of `payment_details` for a new payment. */
export function detailsRow({ environment, payment, account }: PaymentWrites): DetailsRow {
  const { details, requestedAt } = payment;
  return {
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
    ndc: details.ndc,
    responded_at: requestedAt,
  };
}
