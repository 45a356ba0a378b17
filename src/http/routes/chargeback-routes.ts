import { answerOf } from '../answers.js';
import type { Route } from '../call.js';

/**
 * Chargebacks that the back office books (operations 4); those of settlement files are booked by the reconciliation.
 */
export const chargebackRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/chargebacks/:id',
    summary: 'Book a chargeback of a payment',
    kind: 'chargeback',
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
    access: ['backoffice'],
    parameters: 'route',
    answer: async ({ core, id, parameters, caller }) =>
      answerOf(core, await core.chargebacks.reverse(id, parameters, caller)),
  },
];
