import type { DetailsPage, SettlementDetailsResponse } from '../../payment-core/index.js';
import { isCalendarDate } from '../../values/calendar-date.js';
import { answerOf, nothingFound } from '../answers.js';
import type { Answer, Call } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import {
  aggregationsAnswers,
  numberedRecordsAnswers,
  recordsOfAggregationAnswers,
} from '../openapi/answers/report.js';
import {
  afterRecordParameter,
  currencyParameter,
  pageNoParameter,
  sortParameters,
} from '../own-parameters.js';

const access = ['reports'] as const;
const aggregations = '/reconciliations/aggregations';

/** Settlement by date and currency, and the records of one date and currency (catalogue 2.25). */
export const reportRoutes: readonly DescribedRoute[] = [
  {
    method: 'GET',
    path: `/reports/v1${aggregations}`,
    summary: 'Sum settlement by date and currency',
    kind: 'reporting',
    query: [currencyParameter],
    answers: aggregationsAnswers,
    access,
    parameters: 'route',
    answer: async ({ core, parameters, caller }) =>
      answerOf(core, await core.reporting.summary(parameters, caller)),
  },
  {
    method: 'GET',
    path: `/reports/v1${aggregations}/:id`,
    summary: 'List the records of a date and currency',
    query: [...sortParameters, afterRecordParameter],
    answers: recordsOfAggregationAnswers,
    access,
    parameters: 'route',
    answer: (call) => {
      const { after, ...parameters } = call.parameters;
      return details(call, parameters, { limit: 500, ...(after === undefined ? {} : { after }) });
    },
  },
  {
    method: 'GET',
    path: `/reports/v2${aggregations}/:id`,
    summary: 'List the records of a date and currency, by page',
    query: [...sortParameters, pageNoParameter],
    answers: numberedRecordsAnswers,
    access,
    parameters: 'route',
    answer: (call) => {
      const { pageNo = 1, ...parameters } = call.parameters;
      return details(call, parameters, { limit: 100, pageNo });
    },
  },
];

/** The core names an aggregation by its date and currency. */
const aggregationId = /^(\d{4}-\d{2}-\d{2})-([A-Z]{3})$/;

async function details(
  { core, id, caller }: Call,
  parameters: Readonly<Record<string, string>>,
  page: DetailsPage,
): Promise<Answer> {
  const [, date, settlementCurrency] = aggregationId.exec(id) ?? [];
  if (date === undefined || settlementCurrency === undefined || !isCalendarDate(date)) {
    return nothingFound(core);
  }
  const range = { ...parameters, 'date.from': date, 'date.to': date };
  const response: SettlementDetailsResponse = await core.reporting.details(
    range,
    { ...page, settlementCurrency },
    caller,
  );
  if (response.records === undefined) return answerOf(core, response);
  if (response.records.length === 0) return nothingFound(core);
  const { pageNo } = page;
  if (pageNo === undefined) return { status: 200, body: response };
  // Version 2 has no parameter that takes `next`.
  const { next: _next, ...numbered } = response;
  return { status: 200, body: { ...numbered, pageNo: Number(pageNo) } };
}
