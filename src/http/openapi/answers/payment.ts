import type { CardResponse, PaymentResponse, Redirect } from '../../../payment-core/index.js';
import {
  anyOf,
  choice,
  component,
  listOf,
  object,
  objectOf,
  recordOf,
  sometimes,
  text,
  withExample,
  type Described,
  type Members,
  type Schema,
} from '../described.js';
import { echoedStructures, echoedValue, echoedValues } from './echoed.js';
import type { Answers } from './answers.js';
import { error, exampleStamp, idOf, ofEveryAnswer } from './error.js';

/** What a payment has; the answer to a refused request has only some of it. */
export type Payment = Omit<PaymentResponse, 'retryAfterSeconds'>;

/**
 * The card of a payment or of a registration: `card.*` of operations 2.5. Of the number, it has the first six and the
 * last four digits at most.
 */
export const card = component(
  'Card',
  object<CardResponse>('The card. The whole number is never shown.', {
    bin: sometimes(text('The first six digits.', { pattern: '^\\d{6}$', examples: ['420000'] })),
    last4Digits: sometimes(text('The last four digits.', { maxLength: 4, examples: ['0000'] })),
    holder: sometimes(text('The name on the card.', { examples: ['Jane Jones'] })),
    expiryMonth: sometimes(text('The month, 01 to 12.', { examples: ['05'] })),
    expiryYear: sometimes(text('The year, with four digits.', { examples: ['2034'] })),
    type: sometimes(text('The type, as the acquirer names it.', { examples: ['CREDIT'] })),
    level: sometimes(text('The level, as the acquirer names it.')),
    regulatedFlag: sometimes(text('Whether the card is regulated: true or false.')),
    issuer: sometimes(
      object<NonNullable<CardResponse['issuer']>>('The bank that issued the card.', {
        bank: sometimes(text('Its name.')),
        phone: sometimes(text('Its phone number.')),
        website: sometimes(text('Its website.')),
      }),
    ),
  }),
);

const exampleCard = {
  bin: '420000',
  last4Digits: '0000',
  holder: 'Jane Jones',
  expiryMonth: '05',
  expiryYear: '2034',
};

/** `redirect.*` of operations 2.4 and 2.5: missing unless the payment needs a step of the shopper. */
export const redirect = component(
  'Redirect',
  object<Redirect>('Where the browser of the shopper must go, with these parameters.', {
    url: text('The address.'),
    parameters: listOf(
      'What to send there, in this order.',
      object<Redirect['parameters'][number]>('', { name: text('The name.'), value: text('The value.') }),
    ),
  }),
);

const money = (description: string) => text(description, { pattern: '^\\d+\\.\\d{2}$', examples: ['92.00'] });
const currency = text('The currency of the amount (ISO 4217).', {
  pattern: '^[A-Z]{3}$',
  examples: ['EUR'],
});

const paymentType = choice('What it is.', {
  PA: 'preauthorisation',
  DB: 'debit',
  CD: 'credit',
  CP: 'capture',
  RV: 'reversal',
  RF: 'refund',
  CB: 'chargeback',
  CR: 'reversal of a chargeback',
}) as Described<string>;

/** A parameter that was not sent is not repeated. */
function whereSent<Values extends object>(all: {
  readonly [Name in keyof Values]: Described<Values[Name]>;
}): WhereSent<Values> {
  // The members of a mapped type are known to the compiler one by one only.
  const described = Object.entries(all as Readonly<Record<string, Described<unknown>>>);
  const entries = described.map(([name, one]) => [name, sometimes(one)]);
  // The names are those of `all`.
  return Object.fromEntries(entries) as WhereSent<Values>;
}

type WhereSent<Values> = {
  readonly [Name in keyof Values]: ReturnType<typeof sometimes<Values[Name]>>;
};

const referencedId = idOf('The payment that a capture, a reversal or a refund is about.');

const paymentMembers: Members<Payment> = {
  id: idOf('The id of the payment.'),
  referencedId: sometimes(referencedId),
  shortId: sometimes(text('A shorter id, for the phone.', { maxLength: 14, examples: ['1234.5678.9012'] })),
  registrationId: sometimes(idOf('The registration that paid, or that the payment made.')),
  registration: sometimes(
    object<{ readonly id: string }>('The registration that the payment made (createRegistration=true).', {
      id: idOf('The same as registrationId.'),
    }),
  ),
  paymentType,
  paymentBrand: sometimes(text('The brand of the card or account.', { examples: ['VISA'] })),
  brandResult: sometimes(text('The brand that was detected from the card number.', { examples: ['VISA'] })),
  amount: money('The amount, with two decimals.'),
  currency,
  presentationAmount: sometimes(text('In notifications only: forex.amount of the request.')),
  presentationCurrency: sometimes(text('In notifications only: forex.currency of the request.')),
  descriptor: sometimes(echoedValue('descriptor')),
  resultDetails: sometimes(
    component('ResultDetails', recordOf('Details of the acquirer, by name.', text('The detail.'))),
  ),
  card: sometimes(card),
  risk: sometimes(
    object<{ readonly score: string }>('The risk checks.', {
      score: text('From -99999 to +99999.', { pattern: '^[+-]?\\d{1,5}$', examples: ['0'] }),
    }),
  ),
  redirect: sometimes(redirect),
  ...whereSent(echoedValues),
  ...whereSent(echoedStructures),
  ...ofEveryAnswer,
};

/** Any payment, such as one that was read. */
export const payment = component(
  'Payment',
  withExample(
    object<Payment>(
      'A payment: also a declined one, a capture, a reversal, a refund or a chargeback.',
      paymentMembers,
    ),
    {
      id: '8ac7a4a1845f7e1901845f9c2e6b2d1f',
      shortId: '1234.5678.9012',
      paymentType: 'PA',
      paymentBrand: 'VISA',
      amount: '92.00',
      currency: 'EUR',
      result: {
        code: '000.100.110',
        description: 'Request processed in integrator test mode',
        cvvResponse: 'M',
      },
      resultDetails: { ConnectorTxID1: 'SIM0123456789ABCDEF0' },
      card: exampleCard,
      merchantTransactionId: 'order-000001',
      ...exampleStamp,
    },
  ),
);

/** A payment of one type, and members that it always has. */
function paymentOfType(
  name: string,
  type: string,
  description: string,
  always: Readonly<Record<string, Schema>> = {},
): Schema {
  const typed = text(`Always ${type}.`, { const: type });
  const own = objectOf('', { paymentType: typed, ...always }, ['paymentType', ...Object.keys(always)]);
  const { schema, components } = payment;
  return component(name, {
    schema: { description: `${description} It has the members of Payment.`, allOf: [schema, own.schema] },
    components,
  });
}

const named = { referencedId };
const references = [
  paymentOfType('Capture', 'CP', 'A capture of a preauthorisation.', named),
  paymentOfType('Reversal', 'RV', 'A reversal of a preauthorisation, a debit or a credit.', named),
  paymentOfType('Refund', 'RF', 'A refund of a debit or a capture.', named),
];
const chargeback = paymentOfType('Chargeback', 'CB', 'A chargeback of a debit or a capture.');
const chargebackReversal = paymentOfType('ChargebackReversal', 'CR', 'The reversal of a chargeback.');

/** A payment that was declined is stored, and answered with 400. */
export const paymentAnswers: Answers = { 200: payment, 400: payment };
/** Of a request that may name a registration, which may not exist. */
export const newPaymentAnswers: Answers = { ...paymentAnswers, 404: error };
/** A payment that is read is answered with 200, also a declined one; an unknown id with 404 (operations 4). */
export const readPaymentAnswers: Answers = { 200: payment };
/** A capture, a reversal or a refund (operations 3.1). One that was declined is stored, and answered with 400. */
export const referenceAnswers: Answers = { 200: anyOf(...references), 400: anyOf(...references) };
/** A chargeback that the back office booked (CB). It is never declined: 400 is an error in the request. */
export const chargebackAnswers: Answers = { 200: chargeback };
/** The reversal of a chargeback (CR), as {@link chargebackAnswers}. */
export const chargebackReversalAnswers: Answers = { 200: chargebackReversal };
