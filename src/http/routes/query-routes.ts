import type { QueryPage, QueryResponse } from '../../payment-core/index.js';
import { answerOf, nothingFound } from '../answers.js';
import type { Answer, Call } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { onePaymentAnswers, paymentsAnswers, recordsAnswers } from '../openapi/answers/query.js';
import { afterPaymentParameter, pageNoParameter } from '../own-parameters.js';

const access = ['payments', 'reports', 'backoffice'] as const;

/** Searches for payments (catalogue 2.26). Version 3 answers `records` and `pages`, and pages by number. */
export const queryRoutes: readonly DescribedRoute[] = [
  {
    method: 'GET',
    path: '/v1/query',
    summary: 'Find payments, the one stored last first',
    kind: 'query',
    query: [afterPaymentParameter],
    answers: paymentsAnswers,
    access,
    parameters: 'route',
    answer: (call) => query(call, '', asV1),
  },
  {
    method: 'GET',
    path: '/v1/query/:id',
    summary: 'Find a payment, and what is linked to it',
    kind: 'query',
    query: [afterPaymentParameter],
    answers: onePaymentAnswers,
    access,
    parameters: 'route',
    answer: (call) => query(call, call.id, onePayment),
  },
  {
    method: 'GET',
    path: '/v3/query',
    summary: 'Find payments, the one stored last first, by page',
    kind: 'query',
    query: [pageNoParameter, afterPaymentParameter],
    answers: recordsAnswers,
    access,
    parameters: 'route',
    answer: (call) => query(call, '', asV3),
  },
  {
    method: 'GET',
    path: '/v3/query/:id',
    summary: 'Find a payment, and what is linked to it, as records',
    kind: 'query',
    query: [afterPaymentParameter],
    answers: recordsAnswers,
    access,
    parameters: 'route',
    answer: (call) => query(call, call.id, asV3),
  },
];

type Shape = (response: QueryResponse) => object;

const asV1: Shape = (response) => response;

const asV3: Shape = ({ payments, ...rest }) => ({ ...rest, records: payments });

/** Version 1 answers one id with the payment itself, or with a list once linked payments are wanted. */
const onePayment: Shape = (response) => {
  const [payment, ...linked] = response.payments ?? [];
  return payment === undefined || linked.length > 0 ? response : payment;
};

async function query(call: Call, id: string, wanted: Shape): Promise<Answer> {
  const { core, caller } = call;
  const { after, pageNo, ...parameters } = call.parameters;
  // The rest of what is linked to one payment is a page without this payment.
  const shape = wanted === onePayment && after !== undefined ? asV1 : wanted;
  const counted = shape === asV3 && after === undefined;
  const page: QueryPage = {
    ...(id === '' ? {} : { id }),
    ...(after === undefined ? {} : { after }),
    ...(pageNo === undefined && !counted ? {} : { pageNo: pageNo ?? 1 }),
  };
  const response = await core.query(parameters, page, caller);
  if (response.payments === undefined) return answerOf(core, response);
  if (response.payments.length > 0) return { status: 200, body: shape(response) };
  const { pages } = response;
  const counts = pages === undefined ? {} : { pages };
  return nothingFound(core, shape === asV3 ? { records: [], ...counts } : { payments: [], ...counts });
}
