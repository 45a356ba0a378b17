import type { PaymentResponse } from '../../payment-core/index.js';
import { answerOf, answerOfRead } from '../answers.js';
import type { Call, Route } from '../call.js';
import { chosenRegistration } from '../own-parameters.js';

/** Payments, and captures, reversals and refunds by the id of their payment (operations 4). */
export const paymentRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/payments',
    summary: 'Make a payment: PA, DB or CD',
    kind: 'payment',
    body: { own: [chosenRegistration] },
    access: ['payments'],
    parameters: 'route',
    checksToken: true,
    answer: async ({ core, parameters, caller }) => {
      const { registrationId } = parameters;
      if (registrationId === undefined) return answerOf(core, await core.payments.create(parameters, caller));
      const { registrationId: _id, ...rest } = parameters;
      return answerOf(core, await core.registrations.pay(registrationId, rest, caller));
    },
  },
  {
    method: 'GET',
    path: '/v1/payments/:id',
    summary: 'Read a payment',
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
    body: { withoutAmount: 'RV' },
    access: ['payments'],
    parameters: 'route',
    answer: async (call) => {
      const { core, id, parameters, caller } = call;
      const response = isReversalOfAll(parameters)
        ? await core.payments.reverseRemaining(id, parameters, caller)
        : await core.payments.reference(id, parameters, caller);
      return answerOf(core, await withReference(call, response));
    },
  },
];

/** Clients void a payment without naming its amount. */
function isReversalOfAll({ paymentType, amount, currency }: Call['parameters']): boolean {
  return paymentType === 'RV' && amount === undefined && currency === undefined;
}

/**
 * Clients read `referencedId` in the answer to a capture, reversal or refund. Captures and reversals reference the
 * payment of the path. For a refund, the stored one is right: that of a captured preauthorisation references the
 * capture.
 */
async function withReference({ core, id }: Call, response: PaymentResponse): Promise<PaymentResponse> {
  if (response.paymentType === undefined) return response;
  if (response.paymentType !== 'RF') return { ...response, referencedId: id };
  const stored = await core.storedPayments.find(response.id);
  const referencedId = stored?.referencedPaymentId ?? null;
  return referencedId === null ? response : { ...response, referencedId };
}
