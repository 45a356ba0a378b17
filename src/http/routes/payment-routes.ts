import type { ParameterError, PaymentResponse } from '../../payment-core/index.js';
import { answerOf, answerOfRead, answerWithRegistration, isNotFound } from '../answers.js';
import type { Call } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { newPaymentAnswers, readPaymentAnswers, referenceAnswers } from '../openapi/answers/payment.js';
import { chosenRegistration } from '../own-parameters.js';

/** Payments, and captures, reversals and refunds by the id of their payment (operations 4). */
export const paymentRoutes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    path: '/v1/payments',
    summary:
      'Make a payment: PA, DB or CD; with referenceUuid also CP, RV or RF of the payment that it names',
    kind: 'payment',
    body: { name: 'PaymentRequest', own: [chosenRegistration], withoutAmount: 'RV' },
    answers: newPaymentAnswers,
    access: ['payments'],
    parameters: 'route',
    checksToken: true,
    answer: async (call) =>
      answerWithRegistration(
        call.core,
        await withReference(call, call.parameters['referenceUuid'], await pay(call)),
      ),
  },
  {
    method: 'GET',
    path: '/v1/payments/:id',
    summary: 'Read a payment',
    answers: readPaymentAnswers,
    access: ['payments', 'reports'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => {
      const payment = await core.payments.get(id, caller);
      return answerOfRead(core, payment, payment.paymentType !== undefined);
    },
  },
  {
    method: 'POST',
    path: '/v1/payments/:id',
    summary:
      'Capture (CP), reverse (RV) or refund (RF) a payment; a reversal without amount and currency reverses what is left',
    kind: 'reference',
    body: { name: 'ReferenceRequest', withoutAmount: 'RV' },
    answers: referenceAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async (call) => {
      const { core, id, parameters, caller } = call;
      const response = isReversalOfAll(parameters)
        ? await core.payments.reverseRemaining(id, parameters, caller)
        : await core.payments.reference(id, parameters, caller);
      return answerOf(core, await withReference(call, id, response));
    },
  },
];

/** What POST /v1/payments makes; `referenceUuid` says the same as a path with the id (operations 3.1). */
async function pay({ core, parameters, caller }: Call): Promise<PaymentResponse> {
  const { registrationId, ...rest } = parameters;
  if (registrationId !== undefined) return core.registrations.pay(registrationId, rest, caller);
  const { referenceUuid } = parameters;
  if (referenceUuid === undefined || !isReversalOfAll(parameters))
    return core.payments.create(parameters, caller);
  const reversed = await core.payments.reverseRemaining(referenceUuid, parameters, caller);
  // Not an unknown path: the parameter names no payment (operations 2.2).
  return isNotFound(reversed) ? core.refuse('200.300.404', [unknownReference(referenceUuid)]) : reversed;
}

/** As the payment core says it of every other payment type. */
function unknownReference(value: string): ParameterError {
  return { name: 'referenceUuid', value, message: 'referenceUuid does not name a payment' };
}

/** Clients void a payment without naming its amount. */
function isReversalOfAll({ paymentType, amount, currency }: Call['parameters']): boolean {
  return paymentType === 'RV' && amount === undefined && currency === undefined;
}

/**
 * Clients read `referencedId` in the answer to a capture, reversal or refund. Captures and reversals reference the
 * payment that the request names. For a refund, the stored one is right: that of a captured preauthorisation references
 * the capture.
 */
async function withReference(
  { core }: Call,
  named: string | undefined,
  response: PaymentResponse,
): Promise<PaymentResponse> {
  const { paymentType } = response;
  if (named === undefined || (paymentType !== 'CP' && paymentType !== 'RV' && paymentType !== 'RF')) {
    return response;
  }
  if (paymentType !== 'RF') return { ...response, referencedId: named };
  const stored = await core.storedPayments.find(response.id);
  const referencedId = stored?.referencedPaymentId ?? null;
  return referencedId === null ? response : { ...response, referencedId };
}
