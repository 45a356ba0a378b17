import { writeAmount } from '../core/amounts.js';
import type { Parameters } from '../fields/parameters.js';
import type { PaymentContent } from '../payments/stored-payment.js';
import { describeResultCode } from '../results/classify-result-code.js';
import { nestParameters } from './nest-parameters.js';
import type {
  CardResponse,
  EchoedStructures,
  EchoedValues,
  PaymentResponse,
  Result,
} from './response-types.js';
import type { Stamp } from './stamp-response.js';

const structures = [
  'customer',
  'billing',
  'shipping',
  'merchant',
  'cart',
  'marketPlace',
  'airline',
  'corporate',
  'sender',
  'recipient',
  'standingInstruction',
  'threeDSecure',
  'recurringMigration',
  'bankAccount',
  'customParameters',
] as const satisfies readonly (keyof EchoedStructures)[];

const values = [
  'taxAmount',
  'discountAmount',
  'merchantTransactionId',
  'merchantInvoiceId',
  'merchantMemo',
  'transactionCategory',
  'sequence',
  'numberOfCaptures',
  'promotionCode',
  'locale',
  'transactionLinkId',
  'lifecycleId',
  'transactionProcessingCode',
  'transactionDueDate',
] as const satisfies readonly (keyof EchoedValues)[];

/**
 * The response for a stored payment (operations 2.5): the parameters of the request and the answer of the
 * connector. It contains no secrets, since none are stored.
 */
export function paymentResponse(payment: PaymentContent, stamp: Stamp): PaymentResponse {
  const details = payment.details;
  const parameters = details?.parameters ?? {};
  const answer = details?.answer;
  const registrationId = details?.registrationId ?? undefined;
  const resultDetails = detailsOf(payment);
  const card = cardOf(payment);
  return {
    id: payment.id,
    ...optional('shortId', payment.shortId),
    ...optional('registrationId', registrationId),
    ...(registrationId !== undefined && details?.registrationCreated === true
      ? { registration: { id: registrationId } }
      : {}),
    paymentType: payment.paymentType,
    ...optional('paymentBrand', payment.paymentBrand),
    ...optional('brandResult', answer?.brandResult),
    amount: writeAmount(payment.amountMinor),
    currency: payment.currency,
    ...optional('descriptor', parameters['descriptor']),
    result: paymentResult(payment),
    ...(Object.keys(resultDetails).length === 0 ? {} : { resultDetails }),
    ...(card === undefined ? {} : { card }),
    ...(answer?.riskScore === undefined ? {} : { risk: { score: answer.riskScore } }),
    ...(answer?.redirect === undefined ? {} : { redirect: answer.redirect }),
    ...echo(payment, parameters),
    ...stamp,
  };
}

/** The notification's payload (operations 6): the response and the id of the referenced payment. */
export function notificationPayload(payment: PaymentContent, response: PaymentResponse): PaymentResponse {
  const parameters = payment.details?.parameters ?? {};
  return {
    ...response,
    ...optional('referencedId', payment.referencedPaymentId),
    ...(parameters['forex.amount'] === undefined
      ? {}
      : {
          presentationAmount: parameters['forex.amount'],
          ...optional('presentationCurrency', parameters['forex.currency']),
        }),
  };
}

function paymentResult(payment: PaymentContent): Result {
  const answer = payment.details?.answer;
  return {
    code: payment.resultCode,
    description: answer?.description ?? describeResultCode(payment.resultCode),
    ...(answer?.avsResponse === undefined ? {} : { avsResponse: answer.avsResponse }),
    ...(answer?.cvvResponse === undefined ? {} : { cvvResponse: answer.cvvResponse }),
  };
}

function detailsOf(payment: PaymentContent): Record<string, string> {
  const answer = payment.details?.answer;
  const references = payment.connectorTxIds.map((id, index) => [`ConnectorTxID${index + 1}`, id] as const);
  return {
    ...Object.fromEntries(references),
    ...optional('CardholderInitiatedTransactionID', answer?.initialTransactionId),
    ...answer?.resultDetails,
  };
}

function cardOf(payment: PaymentContent): CardResponse | undefined {
  const details = payment.details;
  const parameters = details?.parameters ?? {};
  if (details === null) {
    return payment.accountNumberLast4 === null ? undefined : { last4Digits: payment.accountNumberLast4 };
  }
  if (details.cardLast4 === null && details.cardBin === null) return undefined;
  return {
    ...optional('bin', details.cardBin),
    ...optional('last4Digits', details.cardLast4),
    ...optional('holder', parameters['card.holder']),
    ...optional('expiryMonth', parameters['card.expiryMonth'] ?? parameters['tokenAccount.expiryMonth']),
    ...optional('expiryYear', parameters['card.expiryYear'] ?? parameters['tokenAccount.expiryYear']),
    ...details.answer.card,
  };
}

function echo(payment: PaymentContent, parameters: Parameters): EchoedStructures & EchoedValues {
  const initialTransactionId = payment.details?.answer.initialTransactionId;
  const nested = nestParameters({
    ...(initialTransactionId === undefined
      ? {}
      : { 'standingInstruction.initialTransactionId': initialTransactionId }),
    ...parameters,
  });
  const echoed = structures.flatMap((name) => {
    const structure = nested[name];
    return structure === undefined ? [] : [[name, structure] as const];
  });
  const single = values.flatMap((name) => {
    const value = parameters[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...optional('merchantTransactionId', payment.merchantTransactionId),
    ...optional('merchantInvoiceId', payment.merchantInvoiceId),
    ...Object.fromEntries(single),
    ...Object.fromEntries(echoed),
  };
}

/** An object with this member if it has a value; otherwise an empty object. */
export function optional<Name extends string>(
  name: Name,
  value: string | null | undefined,
): Partial<Record<Name, string>> {
  // A computed name widens to an index signature.
  return value === null || value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}
