import type {
  CheckoutResponse,
  ErrorResponse,
  PaymentCore,
  PaymentResponse,
} from '../../payment-core/index.js';
import { answerOf, doesNotExist, isNotFound, nothingFound, unknownRegistration } from '../answers.js';
import type { Answer } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import {
  checkoutAnswers,
  checkoutPaymentAnswers,
  checkoutRegistrationAnswers,
  checkoutStatusAnswers,
  type ShopperAnswer,
} from '../openapi/answers/checkout.js';
import { chosenRegistration } from '../own-parameters.js';

/** Checkouts: a payment that is prepared by the merchant and paid by the shopper's browser. */
export const checkoutRoutes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    path: '/v1/checkouts',
    summary: 'Prepare a checkout',
    kind: 'checkout',
    body: { name: 'CheckoutRequest' },
    answers: checkoutAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, parameters, caller }) =>
      answerOf(core, await core.checkouts.create(parameters, caller)),
  },
  {
    method: 'POST',
    path: '/v1/checkouts/:id',
    summary: 'Change a checkout that is not paid yet',
    kind: 'checkout',
    body: { name: 'CheckoutChangeRequest', isPartial: true },
    answers: checkoutAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) =>
      answerOfCheckout(core, await core.checkouts.update(id, parameters, caller)),
  },
  {
    method: 'GET',
    path: '/v1/checkouts/:id/payment',
    summary: 'Read the status of a checkout, or its payment',
    answers: checkoutStatusAnswers,
    access: ['payments', 'reports'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => {
      const checkout = await core.checkouts.get(id, caller);
      return checkout.payment === undefined
        ? answerWithoutPayment(core, checkout)
        : { status: 200, body: checkout.payment };
    },
  },
  {
    method: 'POST',
    path: '/v1/checkouts/:id/payment',
    summary: 'Pay a checkout, from the form of the shopper',
    kind: 'payment',
    body: { name: 'CheckoutPaymentRequest', isPartial: true, byForm: true, own: [chosenRegistration] },
    answers: checkoutPaymentAnswers,
    access: 'form',
    parameters: 'route',
    answer: async ({ core, id, parameters, caller, principal }) => {
      const { registrationId, ...rest } = parameters;
      const fromShopper = principal === undefined;
      const payment = { fromShopper, ...(registrationId === undefined ? {} : { registrationId }) };
      const response = await core.checkouts.pay(id, rest, payment, caller);
      const answer = answerOfCheckout(core, response);
      return fromShopper && response.paymentType !== undefined
        ? { ...answer, body: forShopper(id, response) }
        : answer;
    },
  },
  {
    method: 'GET',
    path: '/v1/checkouts/:id/registration',
    summary: 'Read the registration that the payment of a checkout made',
    answers: checkoutRegistrationAnswers,
    access: ['payments', 'reports'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => {
      const checkout = await core.checkouts.get(id, caller);
      if (checkout.payment === undefined) return answerWithoutPayment(core, checkout);
      const { registrationId } = checkout.payment;
      return registrationId === undefined
        ? nothingFound(core)
        : answerOf(core, await core.registrations.get(registrationId, caller));
    },
  },
];

/** The sentence that integrations of this API know for an unknown and for an expired checkout. */
const noSession =
  'invalid or missing parameter - (opp) No payment session found for the requested id - are you mixing test/live servers or have you paid more than 30min ago?';

function answerOfCheckout(core: PaymentCore, response: ErrorResponse): Answer {
  if (!isNotFound(response)) return answerOf(core, response);
  const { code, parameterErrors = [doesNotExist] } = response.result;
  // The checkout exists, but not the registration that should pay it.
  if (code === unknownRegistration) return { status: 404, body: core.refuse('200.300.404', parameterErrors) };
  const refused = core.refuse('200.300.404');
  return { status: 404, body: { ...refused, result: { ...refused.result, description: noSession } } };
}

/** A checkout that waits for its shopper has the pending result that clients expect. */
function answerWithoutPayment(core: PaymentCore, checkout: CheckoutResponse): Answer {
  if (checkout.result.code !== '000.200.100') return answerOfCheckout(core, checkout);
  const { result } = core.refuse('000.200.000');
  return { status: 200, body: { ...checkout, result } };
}

/**
 * The answer to the shopper's form, which carries no token: the checkout, the result, and where to go next. Everything
 * else about the payment is for the merchant.
 */
function forShopper(
  id: string,
  { result, redirect, buildNumber, timestamp, ndc }: PaymentResponse,
): ShopperAnswer {
  const { code, description } = result;
  return {
    id,
    result: { code, description },
    resourcePath: `/v1/checkouts/${id}/payment`,
    ...(redirect === undefined ? {} : { redirect }),
    buildNumber,
    timestamp,
    ndc,
  };
}
