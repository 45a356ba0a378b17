import { refusedName, resultCodes } from '../../payment-core/index.js';
import { nothingFound } from '../answers.js';
import { refusedParameter } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { scriptAnswers } from '../openapi/answers/checkout.js';
import { resultCodesAnswers, type ResultCodes } from '../openapi/answers/result-codes.js';
import { checkoutIdParameter } from '../own-parameters.js';

const catalogue: ResultCodes = {
  resultCodes: resultCodes.map(({ code, description }) => ({ code, description })),
};

/** Paths that need no token. */
export const openRoutes: readonly DescribedRoute[] = [
  {
    method: 'GET',
    path: '/v1/paymentWidgets.js',
    summary: 'Load the script of a checkout',
    query: [checkoutIdParameter],
    answers: scriptAnswers,
    access: 'open',
    parameters: 'route',
    answer: ({ core, parameters }) => {
      const { checkoutId, ...rest } = parameters;
      const errors = Object.keys(rest).map((name) => refusedName(name));
      if (errors.length > 0) return { status: 400, body: core.refuse('200.300.404', errors) };
      if (checkoutId === undefined) {
        return { status: 400, body: refusedParameter(core, 'checkoutId', 'is required') };
      }
      const script = core.checkouts.script(checkoutId);
      if (script === '') return nothingFound(core);
      // A page with `integrity` needs `crossorigin`, and that needs this header.
      const headers = {
        'content-type': 'text/javascript; charset=utf-8',
        'access-control-allow-origin': '*',
      };
      return { status: 200, body: script, headers };
    },
  },
  {
    method: 'GET',
    path: '/v1/resultcodes',
    summary: 'List the result codes',
    answers: resultCodesAnswers,
    access: 'open',
    parameters: 'none',
    answer: () => ({ status: 200, body: catalogue }),
  },
];
