import { answerOf } from '../answers.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { chargebackAnswers, chargebackReversalAnswers } from '../openapi/answers/payment.js';

/**
 * Chargebacks that the back office books (operations 4); those of settlement files are booked by the reconciliation.
 */
export const chargebackRoutes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    path: '/v1/chargebacks/:id',
    summary: 'Book a chargeback of a payment',
    kind: 'chargeback',
    body: { name: 'ChargebackRequest' },
    answers: chargebackAnswers,
    access: ['backoffice'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) =>
      answerOf(core, await core.chargebacks.book(id, parameters, caller)),
  },
  {
    method: 'POST',
    path: '/v1/chargebacks/:id/reversal',
    summary: 'Reverse a chargeback',
    kind: 'chargeback',
    body: { name: 'ChargebackRequest' },
    answers: chargebackReversalAnswers,
    access: ['backoffice'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) =>
      answerOf(core, await core.chargebacks.reverse(id, parameters, caller)),
  },
];
