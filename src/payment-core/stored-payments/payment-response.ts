import { writeAmount } from '../values/amounts.js';
import type { ParameterValues } from '../fields/parameters.js';
import type { AnsweredPayment, PaymentContent } from './payment-content.js';
import { describeResultCode } from '../results/classify-result-code.js';
import { nestParameters } from '../responses/nest-parameters.js';
import { optional } from '../responses/optional-member.js';
import type {
  CardResponse,
  EchoedStructures,
  EchoedValues,
  PaymentResponse,
  Result,
} from '../responses/response-types.js';
import type { Stamp } from '../responses/stamp-response.js';

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

const structureNames: ReadonlySet<string> = new Set(structures);

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

/** A response while its members are added, in the order in which they are sent. */
type Draft = { -readonly [Name in keyof PaymentResponse]?: PaymentResponse[Name] };

/**
 * The response for a stored payment (operations 2.5): the parameters of the request and the answer of the
 * connector. It contains no secrets, since none are stored.
 */
export function paymentResponse(payment: AnsweredPayment, stamp: Stamp): PaymentResponse {
  // Members are added to one object, because a spread for each would take three times as long (measured).
  const { details } = payment;
  const parameters = details?.parameters ?? {};
  const answer = details?.answer;
  const registrationId = details?.registrationId ?? undefined;
  const resultDetails = detailsOf(payment);
  const response: Draft = { id: payment.id };
  put(response, 'shortId', payment.shortId);
  put(response, 'registrationId', registrationId);
  if (registrationId !== undefined && details?.registrationCreated === true) {
    response.registration = { id: registrationId };
  }
  response.paymentType = payment.paymentType;
  put(response, 'paymentBrand', payment.paymentBrand);
  put(response, 'brandResult', answer?.brandResult);
  response.amount = writeAmount(payment.amountMinor);
  response.currency = payment.currency;
  put(response, 'descriptor', parameters['descriptor']);
  response.result = paymentResult(payment);
  if (Object.keys(resultDetails).length > 0) response.resultDetails = resultDetails;
  put(response, 'card', cardOf(payment));
  if (answer?.riskScore !== undefined) response.risk = { score: answer.riskScore };
  put(response, 'redirect', answer?.redirect);
  echo(response, payment, parameters);
  response.buildNumber = stamp.buildNumber;
  response.timestamp = stamp.timestamp;
  response.ndc = stamp.ndc;
  // Every member that a response must have was added.
  return response as PaymentResponse;
}

/** Adds a member that has a value. */
function put<Target extends object, Name extends keyof Target>(
  target: Target,
  name: Name,
  value: Target[Name] | null | undefined,
): void {
  if (value !== null && value !== undefined) target[name] = value;
}

/** The notification's payload (operations 6): the response and the id of the referenced payment. */
export function notificationPayload(payment: PaymentContent, response: PaymentResponse): PaymentResponse {
  const parameters = payment.details?.parameters ?? {};
  if (payment.referencedPaymentId === null && parameters['forex.amount'] === undefined) return response;
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

function paymentResult(payment: AnsweredPayment): Result {
  const answer = payment.details?.answer;
  const result: { -readonly [Name in keyof Result]: Result[Name] } = {
    code: payment.resultCode,
    description: answer?.description ?? describeResultCode(payment.resultCode),
  };
  put(result, 'avsResponse', answer?.avsResponse);
  put(result, 'cvvResponse', answer?.cvvResponse);
  return result;
}

function detailsOf({ connectorTxIds, details }: AnsweredPayment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [index, id] of connectorTxIds.entries()) put(found, `ConnectorTxID${index + 1}`, id);
  put(found, 'CardholderInitiatedTransactionID', details?.answer.initialTransactionId);
  return Object.assign(found, details?.answer.resultDetails);
}

function cardOf(payment: AnsweredPayment): CardResponse | undefined {
  const { details } = payment;
  if (details === null) {
    return payment.accountNumberLast4 === null ? undefined : { last4Digits: payment.accountNumberLast4 };
  }
  if (details.cardLast4 === null && details.cardBin === null) return undefined;
  const { parameters } = details;
  const card: { -readonly [Name in keyof CardResponse]: CardResponse[Name] } = {};
  put(card, 'bin', details.cardBin);
  put(card, 'last4Digits', details.cardLast4);
  put(card, 'holder', parameters['card.holder']);
  put(card, 'expiryMonth', parameters['card.expiryMonth'] ?? parameters['tokenAccount.expiryMonth']);
  put(card, 'expiryYear', parameters['card.expiryYear'] ?? parameters['tokenAccount.expiryYear']);
  return Object.assign(card, details.answer.card);
}

/** Adds the parameters of the request that a response repeats. */
function echo(response: Draft, payment: AnsweredPayment, parameters: ParameterValues): void {
  put(response, 'merchantTransactionId', payment.merchantTransactionId);
  put(response, 'merchantInvoiceId', payment.merchantInvoiceId);
  for (const name of values) put(response, name, parameters[name]);
  const initialTransactionId = payment.details?.answer.initialTransactionId;
  const nested = nestParameters(
    initialTransactionId === undefined
      ? parameters
      : { 'standingInstruction.initialTransactionId': initialTransactionId, ...parameters },
    structureNames,
  );
  // The type of a structure is made from the names of the catalogue, as its value is here.
  for (const name of structures) put(response, name, nested[name] as EchoedStructures[typeof name]);
}
