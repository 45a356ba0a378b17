import { storedMoment } from '../values/moments.js';
import { newNdc, newShortId } from '../values/identifiers.js';
import type { CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import { cutterOf } from '../secrets/own-numbers.js';
import { codeRemoverOf } from '../secrets/security-codes.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import { maskAnswer } from './mask-answer.js';
import { readInstrument, type Instrument } from '../instruments/read-instrument.js';
import type { PaymentIntent } from './payment-intent.js';
import type { PaymentContent, PaymentDetails, StoredPayment } from '../stored-payments/payment-content.js';

/** A new payment and the answer of its connector. */
export interface NewPayment {
  readonly id: string;
  readonly connector: string;
  /** Chargebacks and their reversals are booked without a connector. */
  readonly intent: Omit<PaymentIntent, 'paymentType'> & {
    readonly paymentType: PaymentIntent['paymentType'] | 'CB' | 'CR';
  };
  readonly answer: ConnectorAnswer;
}

/** A payment that is about to be stored. */
export interface DescribedPayment extends PaymentContent {
  readonly details: PaymentDetails;
}

/** What is stored of the account numbers of a payment; both null if it has none. */
export interface SealedAccount {
  readonly sealed: string | null;
  readonly keyId: string | null;
}

interface NewRow {
  readonly payment: DescribedPayment;
  readonly account: SealedAccount;
  /** The account numbers of the request by parameter name. */
  readonly accounts: ParameterValues;
}

/** The binding of a sealed account number: it opens with this name only. */
export const boundToPayment = (id: string): string => `payment ${id}`;

/** The row of a new payment. */
export function describePayment(context: CoreContext, { id, connector, intent, answer }: NewPayment): NewRow {
  const { parameters, referenced, checkoutId } = intent;
  const cut = cutterOf(parameters);
  const { open, accounts } = splitSecrets(parameters, cut);
  const instrument = readInstrument(parameters);
  const shown =
    instrument.number === null && referenced !== null
      ? instrumentOfReferenced(referenced)
      : ownInstrument(instrument);
  const payment: DescribedPayment = {
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
    accountNumberLast4: shown.accountNumberLast4,
    requestedAt: storedMoment(context.clock()),
    referencedPaymentId: referenced?.id ?? null,
    details: {
      connector,
      paymentMethod: shown.paymentMethod,
      parameters: { ...shown.cardParameters, ...open },
      answer: maskAnswer(answer, cut, codeRemoverOf(parameters)),
      registrationId: intent.registration?.id ?? null,
      registrationCreated: false,
      checkoutId,
      industryPractice: parameters['standingInstruction.industryPractice'] ?? null,
      numberOfCaptures: readCount(parameters['numberOfCaptures']),
      sequence: parameters['sequence'] ?? null,
      cardBin: shown.cardBin,
      cardLast4: shown.cardLast4,
      // Integrations find the order of a notification by the id of its checkout.
      ndc: checkoutId ?? newNdc(context.random),
    },
  };
  return { payment, account: sealAccounts(context, id, accounts), accounts };
}

/** What a payment shows of its instrument. */
interface ShownInstrument extends Pick<PaymentDetails, 'paymentMethod' | 'cardBin' | 'cardLast4'> {
  readonly accountNumberLast4: string | null;
  /** Parameters that the request does not have to repeat. */
  readonly cardParameters: ParameterValues;
}

function ownInstrument({ method, bin, last4 }: Instrument): ShownInstrument {
  return {
    accountNumberLast4: last4,
    paymentMethod: method,
    cardBin: bin,
    cardLast4: method === 'CC' ? last4 : null,
    cardParameters: {},
  };
}

/** Captures, reversals and refunds show the account of the referenced payment. */
function instrumentOfReferenced({ accountNumberLast4, details }: StoredPayment): ShownInstrument {
  return {
    accountNumberLast4,
    paymentMethod: details?.paymentMethod ?? null,
    cardBin: details?.cardBin ?? null,
    cardLast4: details?.cardLast4 ?? null,
    cardParameters: details === null ? {} : cardParametersOf(details.parameters),
  };
}

const cardDetails = ['card.holder', 'card.expiryMonth', 'card.expiryYear'] as const;

/** Holder and expiry of the referenced payment's card (operations 2.5). */
function cardParametersOf(parameters: ParameterValues): Record<string, string> {
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

function sealAccounts({ vault }: CoreContext, id: string, accounts: ParameterValues): SealedAccount {
  if (Object.keys(accounts).length === 0) return { sealed: null, keyId: null };
  return vault.seal(JSON.stringify(accounts), boundToPayment(id));
}
