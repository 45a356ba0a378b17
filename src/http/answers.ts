import {
  httpStatusOf,
  type ErrorResponse,
  type ParameterError,
  type PaymentCore,
} from '../payment-core/index.js';
import type { Answer } from './call.js';

const unknownResource = '700.400.580';
/** The result code of a registration that does not exist, or is another entity's. */
export const unknownRegistration = '100.150.200';
/** The core's codes for a registration, job or checkout that does not exist or belongs to another entity. */
const notFoundCodes: ReadonlySet<string> = new Set([unknownRegistration, '200.300.406', unknownResource]);

/** Whether the resource that the path names does not exist for the caller. */
export function isNotFound({ result }: ErrorResponse): boolean {
  return notFoundCodes.has(result.code);
}

/** The answer to a request that makes something: the status follows from the result (operations 7.1). */
export function answerOf(core: PaymentCore, response: ErrorResponse): Answer {
  if (isNotFound(response)) return { status: 404, body: core.refuse(unknownResource) };
  const { code, parameterErrors = [] } = response.result;
  if (response.retryAfterSeconds !== undefined) {
    const { retryAfterSeconds, ...body } = response;
    return { status: httpStatusOf(code), body, headers: { 'retry-after': String(retryAfterSeconds) } };
  }
  if (code === inProgress) return { status: 409, body: response };
  const isOtherRequest = parameterErrors.some(({ name }) => name === keyHeader);
  return { status: isOtherRequest ? 422 : httpStatusOf(code), body: response };
}

/** The violation of a request that names such a registration among its parameters. */
export const doesNotExist: ParameterError = {
  name: 'registrationId',
  value: null,
  message: 'registrationId does not name a registration',
};

/** The answer to a request that names a registration in a parameter: the path names something else, or nothing. */
export function answerWithRegistration(core: PaymentCore, response: ErrorResponse): Answer {
  return response.result.code === unknownRegistration
    ? { status: 404, body: core.refuse(unknownResource, [doesNotExist]) }
    : answerOf(core, response);
}

/** The same request, or another one that needs the same checkout, is in progress. */
const inProgress = '800.700.100';

/** The header is named in an error when its key was used for another request. */
export const keyHeader = 'Idempotency-Key';

/**
 * The answer to a request that reads something. What was found is answered with 200, even a payment that was declined:
 * the request succeeded.
 */
export function answerOfRead(core: PaymentCore, response: ErrorResponse, isFound: boolean): Answer {
  return isFound ? { status: 200, body: response } : answerOf(core, response);
}

/** The answer when nothing fits a search, or the path names something that does not exist. */
export function nothingFound(core: PaymentCore, more: object = {}): Answer {
  return { status: 404, body: { ...core.refuse(unknownResource), ...more } };
}
