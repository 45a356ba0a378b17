import { newId, newNdc } from '../values/identifiers.js';
import { responseTimestamp } from '../values/moments.js';
import { describeResultCode } from '../results/classify-result-code.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { ErrorResponse, Result } from './response-types.js';

/** What a response takes from the core that makes it. */
export interface ResponseContext {
  readonly buildNumber: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Unpredictable bytes, for identifiers and nonces. */
  readonly random: (bytes: number) => Buffer;
}

/** The part of a response with the time and the build that made it (operations 2.5). */
export interface Stamp {
  readonly buildNumber: string;
  readonly timestamp: string;
  readonly ndc: string;
}

/** @param ndc that of what the response is about, if it has one */
export function stampResponse(context: ResponseContext, ndc?: string): Stamp {
  return {
    buildNumber: context.buildNumber,
    timestamp: responseTimestamp(context.clock()),
    ndc: ndc ?? newNdc(context.random),
  };
}

/** The `result` of a response (operations 2.5), with the text that the catalogue has for the code. */
export function resultOf(code: string, parameterErrors?: readonly ParameterError[]): Result {
  return {
    code,
    description: describeResultCode(code),
    ...(parameterErrors === undefined ? {} : { parameterErrors }),
  };
}

/** A response without a stored payment. Its id identifies the request only. */
export function answer(context: ResponseContext, code: string): ErrorResponse {
  return { id: newId(context.random), result: resultOf(code), ...stampResponse(context) };
}

/**
 * The response to a refused request (operations 7.2). Its id identifies the request only: nothing was
 * stored, so no lookup finds it.
 */
export function refuse(
  context: ResponseContext,
  code: string,
  parameterErrors?: readonly ParameterError[],
): ErrorResponse {
  return { ...answer(context, code), result: resultOf(code, parameterErrors) };
}

/** The response to a request that exceeds a limit (operations 8), and when to try again. */
export function refuseThrottled(context: ResponseContext, retryAfterSeconds: number): ErrorResponse {
  return { ...refuse(context, '800.120.100'), retryAfterSeconds };
}
