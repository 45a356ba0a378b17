import { component, listOf, object } from '../described.js';
import type { Answers } from './answers.js';
import { resultCode } from './error.js';

/** What GET /v1/resultcodes answers. */
export interface ResultCodes {
  readonly resultCodes: readonly { readonly code: string; readonly description: string }[];
}

const codes = component(
  'ResultCodes',
  object<ResultCodes>('Every result code.', {
    resultCodes: listOf('In ascending order.', object<ResultCodes['resultCodes'][number]>('', resultCode)),
  }),
);

/** The catalogue of result codes (operations 7.2), the same for every client; no token is needed. */
export const resultCodesAnswers: Answers = { 200: codes };
