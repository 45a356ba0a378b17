import { storedMoment } from '../values/moments.js';
import { newId, newNdc, newShortId } from '../values/identifiers.js';
import type { CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import { cutterOf } from '../secrets/own-numbers.js';
import { codeRemoverOf } from '../secrets/security-codes.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import { maskAnswer } from './mask-answer.js';
import { readInstrument } from '../instruments/read-instrument.js';
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

/** What is stored of the account number of a payment; all null if it has none. */
export interface SealedAccount {
  readonly sealed: string | null;
  readonly keyId: string | null;
  readonly hash: string | null;
}

interface NewRow {
  readonly payment: DescribedPayment;
  readonly account: SealedAccount;
  /** The account numbers of the request by parameter name. */
  readonly accounts: Parameters;
}

/** The binding of a sealed account number: it opens with this name only. */
export const boundToPayment = (id: string): string => `payment ${id}`;

/** The id of a new payment. */
export function newPaymentId(context: CoreContext): string {
  return newId(context.random);
}

/** The row of a new payment. Captures, reversals and refunds copy the account of the referenced payment. */
export function describePayment(context: CoreContext, { id, connector, intent, answer }: NewPayment): NewRow {
  const { parameters, referenced } = intent;
  const cut = cutterOf(parameters);
  const { open: own, accounts } = splitSecrets(parameters, cut);
  const instrument = readInstrument(parameters);
  const followsUp = instrument.number === null && referenced !== null;
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
    accountNumberLast4: followsUp ? referenced.accountNumberLast4 : instrument.last4,
    requestedAt: storedMoment(context.clock()),
    referencedPaymentId: referenced?.id ?? null,
    details: {
      connector,
      paymentMethod: followsUp ? (referenced.details?.paymentMethod ?? null) : instrument.method,
      parameters: followsUp ? { ...cardOf(referenced), ...own } : own,
      answer: maskAnswer(answer, cut, codeRemoverOf(parameters)),
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
  const sealed =
    Object.keys(accounts).length === 0
      ? null
      : context.vault.seal(JSON.stringify(accounts), boundToPayment(id));
  const { number } = instrument;
  const account = {
    sealed: sealed?.sealed ?? null,
    keyId: sealed?.keyId ?? null,
    hash: number === null ? null : context.vault.lookupHash(number),
  };
  return { payment, account, accounts };
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
