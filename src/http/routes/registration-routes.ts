import { answerOf, answerOfRead } from '../answers.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { paymentAnswers } from '../openapi/answers/payment.js';
import { registrationAnswers } from '../openapi/answers/registration.js';

/** Stored instruments, and one-click payments with them (operations 4). */
export const registrationRoutes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    path: '/v1/registrations',
    summary: 'Store a payment instrument',
    kind: 'registration',
    body: { name: 'RegistrationRequest' },
    answers: registrationAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, parameters, caller }) =>
      answerOf(core, await core.registrations.create(parameters, caller)),
  },
  {
    method: 'GET',
    path: '/v1/registrations/:id',
    summary: 'Read a registration',
    answers: registrationAnswers,
    access: ['payments', 'reports'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => {
      const found = await core.registrations.get(id, caller);
      return answerOfRead(core, found, found.card !== undefined || found.account !== undefined);
    },
  },
  {
    method: 'DELETE',
    path: '/v1/registrations/:id',
    summary: 'Delete a registration',
    answers: registrationAnswers,
    access: ['payments'],
    parameters: 'none',
    answer: async ({ core, id, caller }) => answerOf(core, await core.registrations.delete(id, caller)),
  },
  {
    method: 'POST',
    path: '/v1/registrations/:id/payments',
    summary: 'Pay with a registration',
    kind: 'payment',
    body: { name: 'RegistrationPaymentRequest' },
    answers: paymentAnswers,
    access: ['payments'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) =>
      answerOf(core, await core.registrations.pay(id, parameters, caller)),
  },
];
