import { identifier, lettersAndDigits, lettersDigitsUnderscore } from '../characters.js';
import { conditional, declareFields, optional, required } from '../field.js';
import {
  amount,
  currency,
  number,
  oneOf,
  shape,
  text,
  textOf,
  trueOrFalse,
  url,
  type FieldType,
} from '../field-type.js';
import { changingKinds, purchaseKinds, requestKinds, type RequestKind } from '../request-kinds.js';

/** The stand-alone payment types, and those that reference another payment (operations 3.1). */
const standalonePaymentTypes = ['PA', 'DB', 'CD'] as const;
/** The types of a payment that names another one by its id (operations 3.1). */
export const referencingPaymentTypes = ['CP', 'RV', 'RF'] as const;
const chargebackTypes = ['CB', 'CR'] as const;

/** Every type that a stored payment can have: other requests store none. */
export const storedPaymentTypes = [
  ...standalonePaymentTypes,
  ...referencingPaymentTypes,
  ...chargebackTypes,
] as const;

const checkoutToo: readonly RequestKind[] = ['payment', 'checkout'];
const moneyKinds: readonly RequestKind[] = ['payment', 'reference', 'checkout'];
const merchantReference: FieldType = text(255, 8);
const absoluteUrl = url(6, 2048);

const operations = { section: 'operations 2.2', prefix: '' } as const;

/** Core payment request fields (operations 2.2). */
const paymentFields = declareFields(
  { ...operations, kinds: purchaseKinds },
  {
    amount: required(amount, { kinds: changingKinds, requiredIn: moneyKinds }),
    taxAmount: conditional(amount),
    discountAmount: optional(amount),
    currency: required(currency, { kinds: changingKinds, requiredIn: moneyKinds }),
    paymentBrand: conditional(textOf(lettersDigitsUnderscore, 32), {
      kinds: [...purchaseKinds, 'registration', 'migration'],
      note: 'may be omitted only if the brand can be detected from a card number',
    }),
    paymentType: required(oneOf(...standalonePaymentTypes, ...referencingPaymentTypes), {
      kinds: ['payment'],
      requiredIn: ['payment'],
    }),
  },
);

/** The payment types of the other kinds of request (operations 3.1; catalogue 2.19; notes in the docs). */
const otherPaymentTypes = [
  ...declareFields(
    { ...operations, kinds: ['reference'] },
    { paymentType: required(oneOf(...referencingPaymentTypes), { requiredIn: ['reference'] }) },
  ),
  ...declareFields(
    { ...operations, kinds: ['checkout'] },
    { paymentType: required(oneOf(...standalonePaymentTypes), { requiredIn: ['checkout'] }) },
  ),
  ...declareFields(
    { ...operations, kinds: ['job'] },
    { paymentType: optional(oneOf(...standalonePaymentTypes)) },
  ),
  ...declareFields(
    { ...operations, kinds: ['registration', 'migration'] },
    { paymentType: optional(oneOf('RG')) },
  ),
  ...declareFields(
    { ...operations, kinds: ['chargeback'] },
    { paymentType: optional(oneOf(...chargebackTypes)) },
  ),
];

/** Every kind of request except the query, whose merchantTransactionId has no shortest length. */
const recordedKinds: readonly RequestKind[] = changingKinds;

const detailFields = declareFields(
  { ...operations, kinds: purchaseKinds },
  {
    integrity: optional(trueOrFalse, { kinds: checkoutToo }),
    'overridePaymentType[key]': optional(oneOf(...standalonePaymentTypes), { kinds: ['checkout'] }),
    descriptor: optional(text(127), { kinds: [...purchaseKinds, 'chargeback'] }),
    merchantTransactionId: conditional(merchantReference, { kinds: recordedKinds }),
    merchantInvoiceId: optional(merchantReference, { kinds: recordedKinds }),
    merchantMemo: optional(merchantReference, { kinds: recordedKinds }),
    transactionCategory: optional(oneOf('EC', 'MO', 'TO', 'PO', 'PM', 'MOTO'), {
      kinds: [...purchaseKinds, 'registration', 'migration'],
    }),
    sequence: optional(oneOf('FINAL'), { kinds: ['payment', 'reference'] }),
    numberOfCaptures: optional(number(1, 98), { kinds: checkoutToo }),
    promotionCode: optional(textOf(lettersAndDigits, 15, 0)),
    locale: optional(text(10), { kinds: [...purchaseKinds, 'registration', 'migration'] }),
    transactionLinkId: optional(text(35)),
    lifecycleId: optional(text(35)),
    referenceUuid: optional(identifier, { kinds: ['payment', 'reference'] }),
    referencedPaymentId: conditional(identifier, {
      kinds: ['chargeback'],
      note: 'back-office reference of operations 2.1',
    }),
    transactionPurposeCode: optional(text(12), { note: 'see the rules for when it is required' }),
    integrationType: optional(text(10)),
    transactionBai: optional(text(2)),
    transactionTti: optional(text(3)),
    transactionProcessingCode: optional(oneOf('PURCHASE', 'FUNDING', 'PAYMENT'), { fallback: 'PURCHASE' }),
    testMode: optional(oneOf('EXTERNAL', 'INTERNAL'), {
      kinds: changingKinds,
      environment: 'test',
      fallback: 'INTERNAL',
    }),
    'forex.amount': conditional(amount),
    'forex.currency': conditional(currency),
    entityId: conditional(
      shape(/^[a-f0-9]{32}$/, 'exactly 32 characters a-f and 0-9', '0123456789abcdef'.repeat(2)),
      {
        kinds: requestKinds,
      },
    ),
    createRegistration: optional(trueOrFalse, { kinds: checkoutToo }),
    overrideHolder: optional(trueOrFalse, { kinds: checkoutToo }),
    'registrations[n].id': optional(identifier, {
      kinds: ['checkout'],
      note: 'an extension of this core: the registrations that the form of the shopper may pay with',
    }),
    shopperResultUrl: conditional(absoluteUrl, {
      kinds: ['payment', 'checkout', 'registration', 'migration'],
    }),
    notificationUrl: optional(absoluteUrl, { kinds: recordedKinds, note: 'deprecated: webhooks replace it' }),
    chargebackResultCode: optional(
      shape(/^000\.100\.2\d{2}$/, '000.100.2 followed by two digits', '000.100.220'),
      { kinds: ['chargeback'] },
    ),
  },
);

/** The fields that belong to no structure (operations 2.2 and 2.4). */
export const coreFields = [...paymentFields, ...otherPaymentTypes, ...detailFields];
