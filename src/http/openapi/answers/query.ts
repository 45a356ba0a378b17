import type { ErrorResponse, PaymentResponse, QueryResponse } from '../../../payment-core/index.js';
import { anyOf, component, count, flag, listOf, object, sometimes, text } from '../described.js';
import type { Answers } from './answers.js';
import { idOf, ofEveryAnswer } from './error.js';
import { payment } from './payment.js';

/** A page of version 3, in which the payments are called `records`. */
export interface RecordsPage extends Omit<QueryResponse, 'payments' | 'retryAfterSeconds'> {
  readonly records: readonly PaymentResponse[];
}
type PaymentsPage = Omit<QueryResponse, 'retryAfterSeconds'>;

const id = idOf('Identifies the request only.');
const next = sometimes(
  text(
    'The value of after for the next page, or with moreLinked for the rest of the linked payments. ' +
      'Missing on the last page.',
  ),
);
const moreLinked = sometimes(
  flag(
    'With true, more payments are linked to those of this page: next leads to them, without the payments of the page, ' +
      'and then to the next page. An answer has at most 5,000 linked payments.',
  ),
);
const pages = count('How many pages there are now.');
const found = listOf(
  'The payments that were found, the one that was stored last first, whatever its time (an import may store old ones). ' +
    'Then those that are linked to them, in the order in which they were stored.',
  payment,
);
const nothing = {
  schema: { type: 'array', description: 'It is empty.', items: payment.schema, maxItems: 0 },
  components: payment.components,
};

const paymentsPage = component(
  'PaymentsPage',
  object<PaymentsPage>('A page of payments.', {
    id,
    payments: found,
    next,
    moreLinked,
    pages: sometimes(pages),
    ...ofEveryAnswer,
  }),
);

const recordsPage = component(
  'RecordsPage',
  object<RecordsPage>('A page of payments, in version 3.', {
    id,
    records: found,
    next,
    moreLinked,
    pages: sometimes(pages),
    ...ofEveryAnswer,
  }),
);

type Nothing = Omit<ErrorResponse, 'retryAfterSeconds'>;

const noPayments = component(
  'NoPayments',
  object<Nothing & { readonly payments: readonly [] }>('No payment was found.', {
    id,
    payments: nothing,
    ...ofEveryAnswer,
  }),
);

const noRecords = component(
  'NoRecords',
  object<Nothing & { readonly records: readonly []; readonly pages?: number }>('No payment was found.', {
    id,
    records: nothing,
    pages: sometimes(pages),
    ...ofEveryAnswer,
  }),
);

/** A page of `/v1/query` (catalogue 2.26). No hit is 404, with an empty list beside the result. */
export const paymentsAnswers: Answers = { 200: paymentsPage, 404: noPayments };
/** One payment; a page of them where linked payments were asked for and found. */
export const onePaymentAnswers: Answers = { 200: anyOf(payment, paymentsPage), 404: noPayments };
/** A page of `/v3/query`: the same payments under `records`, with the number of pages unless `after` names the page. */
export const recordsAnswers: Answers = { 200: recordsPage, 404: noRecords };
