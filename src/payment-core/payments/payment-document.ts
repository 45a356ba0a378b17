import type { Sql, Tx } from '../../db/client.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import type { Parameters } from '../fields/parameters.js';
import type { PaymentDetails, StoredPayment } from './payment-content.js';

/**
 * A stored payment as the database returns it: texts, so that the type settings of a client do not matter, from
 * `payments p left join payment_details d on d.payment_key = p.key`. The first is never null.
 */
export const paymentTexts = {
  key: 'p.key::text',
  id: 'p.id',
  shortId: 'p.short_id',
  paymentType: 'p.payment_type',
  paymentBrand: 'p.payment_brand',
  amountMinor: 'p.amount_minor::text',
  currency: 'p.currency',
  resultCode: 'p.result_code',
  merchantTransactionId: 'p.merchant_transaction_id',
  merchantInvoiceId: 'p.merchant_invoice_id',
  entityId: 'p.entity_id',
  connectorTxId1: 'p.connector_tx_id1',
  connectorTxId2: 'p.connector_tx_id2',
  connectorTxId3: 'p.connector_tx_id3',
  accountNumberLast4: 'p.account_number_last4',
  requestedAt: `to_char(p.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  referencedPaymentId: 'p.referenced_payment_id',
  environment: 'd.environment',
  connector: 'd.connector',
  paymentMethod: 'd.payment_method',
  parameters: 'd.parameters::text',
  answer: 'd.answer::text',
  registrationId: 'd.registration_id',
  registrationCreated: 'd.registration_created::text',
  checkoutId: 'd.checkout_id',
  industryPractice: 'd.industry_practice',
  numberOfCaptures: 'd.number_of_captures::text',
  sequence: 'd.sequence',
  cardBin: 'd.card_bin',
  cardLast4: 'd.card_last4',
  ndc: 'd.ndc',
} as const;

/** The columns that are null for no payment. */
type Always = 'key' | 'id' | 'paymentType' | 'amountMinor' | 'currency' | 'resultCode' | 'requestedAt';
type Name = keyof typeof paymentTexts;

/** `paymentTexts` of one payment. */
export type PaymentDocument = Readonly<Record<Always, string> & Record<Exclude<Name, Always>, string | null>>;

/** An expression: the document as JSON. */
export const paymentDocument = `json_build_object(${Object.entries(paymentTexts)
  .map(([name, text]) => `'${name}', ${text}`)
  .join(', ')})`;

/** Use: `select ${selectPayment(sql)} from payments p left join payment_details d on …`. */
export function selectPayment(sql: Sql | Tx) {
  return sql.unsafe(`${paymentDocument}::text as payment`);
}

export interface PaymentRow {
  readonly payment: string;
}

export function readPayment(row: PaymentRow): StoredPayment {
  return paymentOf(JSON.parse(row.payment) as PaymentDocument);
}

export function paymentOf(document: PaymentDocument): StoredPayment {
  const { connectorTxId1, connectorTxId2, connectorTxId3 } = document;
  return {
    key: document.key,
    id: document.id,
    shortId: document.shortId,
    paymentType: document.paymentType,
    paymentBrand: document.paymentBrand,
    amountMinor: BigInt(document.amountMinor),
    currency: document.currency,
    resultCode: document.resultCode,
    merchantTransactionId: document.merchantTransactionId,
    merchantInvoiceId: document.merchantInvoiceId,
    entityId: document.entityId,
    connectorTxIds: [connectorTxId1, connectorTxId2, connectorTxId3].filter((id) => id !== null),
    accountNumberLast4: document.accountNumberLast4,
    requestedAt: document.requestedAt,
    referencedPaymentId: document.referencedPaymentId,
    details: detailsOf(document),
  };
}

function detailsOf(document: PaymentDocument): PaymentDetails | null {
  const { connector, parameters, answer, ndc, numberOfCaptures } = document;
  // All of them belong to a row of `payment_details`, which has no null in them.
  if (connector === null || parameters === null || answer === null || ndc === null) return null;
  return {
    connector,
    paymentMethod: document.paymentMethod,
    // `storePayment` wrote both.
    parameters: JSON.parse(parameters) as Parameters,
    answer: JSON.parse(answer) as ConnectorAnswer,
    registrationId: document.registrationId,
    registrationCreated: document.registrationCreated === 'true',
    checkoutId: document.checkoutId,
    industryPractice: document.industryPractice,
    numberOfCaptures: numberOfCaptures === null ? null : Number(numberOfCaptures),
    sequence: document.sequence,
    cardBin: document.cardBin,
    cardLast4: document.cardLast4,
    ndc,
  };
}
