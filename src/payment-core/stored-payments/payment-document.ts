import type { Sql, Tx } from '../../db/client.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import type { ParameterValues } from '../fields/parameters.js';
import type { AnsweredPayment, AnsweredDetails, PaymentDetails, StoredPayment } from './payment-content.js';

/**
 * The environment of a payment `p` with its details `d`; null when it belongs to both, as an imported payment does. A
 * chargeback that the reconciliation booked has no details: it belongs where its payment does, and so does its
 * reversal. Notifications about them are sent by the same rule (`record-events.ts`).
 */
export const environmentOfPayment = `coalesce(d.environment, case when p.payment_type in ('CB', 'CR') then (
  select coalesce(near.environment, far.environment)
  from payments referenced
  left join payment_details near on near.payment_key = referenced.key
  left join payments distant on distant.id = referenced.referenced_payment_id
  left join payment_details far on far.payment_key = distant.key
  where referenced.id = p.referenced_payment_id) end)`;

/**
 * A stored payment as the database returns it: texts, so that the type settings of a client do not matter, from
 * `payments p left join payment_details d on d.payment_key = p.key`. The first is never null.
 */
const paymentTexts = {
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

type Name = keyof typeof paymentTexts;

/** The columns that are null for no payment. */
type Always = 'key' | 'id' | 'paymentType' | 'amountMinor' | 'currency' | 'resultCode' | 'requestedAt';
/** `paymentTexts` of one payment. */
type PaymentDocument = Readonly<
  Record<Always, string> &
    Record<Exclude<Name, Always | keyof typeof documents>, string | null> &
    Record<keyof typeof documents, Value>
>;

/** A value of a payment: a text, or a document if it was read as JSON. */
export type Value = string | object | null;

/** Of these names, as `AnsweredPayment` needs them. */
export type AnsweredDocument = Pick<PaymentDocument, (typeof answeredNames)[number]>;

/** What an answer needs, and who may see it. The other columns cost a read 6 of its 47 µs in PostgreSQL (measured). */
const answeredNames = [
  'id',
  'shortId',
  'paymentType',
  'paymentBrand',
  'amountMinor',
  'currency',
  'resultCode',
  'merchantTransactionId',
  'merchantInvoiceId',
  'entityId',
  'connectorTxId1',
  'connectorTxId2',
  'connectorTxId3',
  'accountNumberLast4',
  'environment',
  'parameters',
  'answer',
  'registrationId',
  'registrationCreated',
  'cardBin',
  'cardLast4',
  'ndc',
] as const satisfies readonly Name[];

/**
 * Who sees a payment is decided by the environment to which it belongs. A whole document is read by a statement that
 * decided it already, or for everybody, and thousands at once.
 */
const seen: Readonly<Partial<Record<Name, string>>> = { environment: environmentOfPayment };

/** `paymentTexts` of a payment that is answered, in the order that `answeredDocumentOf` expects. */
export const answeredTexts = answeredNames.map((name) => seen[name] ?? paymentTexts[name]);

/** The columns that are JSON themselves. */
const documents = { parameters: 'd.parameters', answer: 'd.answer' } as const satisfies Partial<
  Record<Name, string>
>;

/** As a value in JSON. A text with JSON in it takes the server a third of a read to write, and is parsed twice here. */
const inJson: Readonly<Record<Name, string>> = { ...paymentTexts, ...documents };

/** An expression: the values of `answeredTexts` as a JSON array. Their names would be repeated for each payment. */
export const answeredArray = `json_build_array(${answeredNames.map((name) => seen[name] ?? inJson[name]).join(', ')})`;

// The names of an object literal are its keys.
const allNames = Object.keys(paymentTexts) as Name[];
const paymentDocument = `json_build_object(${allNames.map((name) => `'${name}', ${inJson[name]}`).join(', ')})`;

/** Use: `select ${selectPayment(sql)} from payments p left join payment_details d on …`. */
export function selectPayment(sql: Sql | Tx) {
  return sql.unsafe(`${paymentDocument}::text as payment`);
}

/** What `selectPayment` reads: a payment as one JSON text. */
export interface PaymentTextRow {
  readonly payment: string;
}

/** The payment of such a row. */
export function readPayment(row: PaymentTextRow): StoredPayment {
  return paymentOf(JSON.parse(row.payment) as PaymentDocument);
}

function paymentOf(document: PaymentDocument): StoredPayment {
  const { details, ...answered } = answeredOf(document);
  return {
    ...answered,
    key: document.key,
    requestedAt: document.requestedAt,
    referencedPaymentId: document.referencedPaymentId,
    details: details === null ? null : { ...details, ...processingOf(document) },
  };
}

type Processing = Omit<PaymentDetails, keyof AnsweredDetails>;

function processingOf({ connector, numberOfCaptures, ...document }: PaymentDocument): Processing {
  return {
    // No row of `payment_details` has a null in it.
    connector: connector ?? '',
    paymentMethod: document.paymentMethod,
    checkoutId: document.checkoutId,
    industryPractice: document.industryPractice,
    numberOfCaptures: numberOfCaptures === null ? null : Number(numberOfCaptures),
    sequence: document.sequence,
  };
}

/** What an answer needs of a payment, from its texts. */
export function answeredOf(document: AnsweredDocument): AnsweredPayment {
  const { connectorTxId1, connectorTxId2, connectorTxId3 } = document;
  return {
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
    connectorTxIds: [connectorTxId1, connectorTxId2, connectorTxId3],
    accountNumberLast4: document.accountNumberLast4,
    details: detailsOf(document),
  };
}

function detailsOf(document: AnsweredDocument): AnsweredDetails | null {
  const { parameters, answer, ndc } = document;
  // All of them belong to a row of `payment_details`, which has no null in them.
  if (parameters === null || answer === null || ndc === null) return null;
  return {
    // `storePayment` wrote both.
    parameters: parsed(parameters) as ParameterValues,
    answer: parsed(answer) as ConnectorAnswer,
    registrationId: document.registrationId,
    registrationCreated: document.registrationCreated === 'true',
    cardBin: document.cardBin,
    cardLast4: document.cardLast4,
    ndc,
  };
}

function parsed(value: string | object): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

/** Copied for each document, so that V8 does not change the shape of the object with each name. */
const emptyDocument: Readonly<Partial<Record<Name, Value>>> = Object.fromEntries(
  answeredNames.map((name) => [name, null]),
);

/** The document with the values of `answeredTexts` or `answeredArray`. */
export function answeredDocumentOf(values: readonly Value[]): AnsweredDocument {
  const document = { ...emptyDocument };
  for (let index = 0; index < answeredNames.length; index += 1) {
    const name = answeredNames[index];
    if (name !== undefined) document[name] = values[index] ?? null;
  }
  // All names are there, and those of `Always` are never null.
  return document as AnsweredDocument;
}
