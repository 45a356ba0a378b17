import { completeReading, sentParameters } from '../validation/apply-defaults.js';
import type { ValidationOptions } from '../validation/parameter-request.js';
import { readRequest } from '../validation/read-request.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';
import { isTestModeRefused, judgeReading } from '../validation/validate-parameters.js';
import type { RequestKind } from '../fields/request-kinds.js';
import { refuse } from '../responses/stamp-response.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { ErrorResponse } from '../responses/response-types.js';
import type { Caller, CoreContext } from './core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { dayOf, responseTimestamp } from '../values/moments.js';

/** Either the value that the operation continues with, or the response that ends it. */
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly response: ErrorResponse };

/** The outcome of a check that a request passed. */
export const accepted = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
/** The outcome of a check that answers the request. */
export const rejected = (
  response: ErrorResponse,
): { readonly ok: false; readonly response: ErrorResponse } => ({
  ok: false,
  response,
});

/** The properties of a request besides its parameters. */
export interface RequestShape {
  readonly kind: RequestKind;
  readonly caller: Caller;
  readonly options?: Pick<
    ValidationOptions,
    'registration' | 'registeredAccount' | 'partial' | 'origin' | 'remaining'
  >;
  /** Violations of what belongs to the request besides its parameters, such as its page. Reported after the others. */
  readonly found?: readonly ParameterError[];
}

/**
 * The checks of every request with parameters after throttling, in this order: test mode in live
 * (600.200.701), all fields and rules (200.300.404), the entity (800.900.201). The first check that fails
 * determines the response. Nothing of a refused request is stored. The parameters are parsed once.
 *
 * @returns the parameters with the documented defaults; for a partial request and a checkout only the parameters that
 *   were sent. The defaults belong to the creation, and those of a checkout to its payment: until then, what they
 *   depend on can change.
 */
export function checkRequest(
  context: CoreContext,
  received: ReceivedParameters,
  { kind, caller, options, found = [] }: RequestShape,
): Checked<ParameterValues> {
  const { environment } = context;
  if (isTestModeRefused(received.values, { environment })) return rejected(refuse(context, '600.200.701'));
  const now = context.clock();
  const validation = { environment, today: dayOf(now), schemeOf: context.schemeOf, ...options };
  const reading = readRequest(kind, received, validation);
  const errors = judgeReading(reading).concat(found);
  if (errors.length > 0) return rejected(refuse(context, '200.300.404', errors));
  const parameters =
    options?.partial === true || kind === 'checkout'
      ? sentParameters(reading)
      : completeReading(reading, responseTimestamp(now).slice(0, 19));
  return withEntity(context, parameters, caller);
}

/** A caller acts for its own entities only. With a single entity, the request may omit it. */
function withEntity(
  context: CoreContext,
  parameters: ParameterValues,
  caller: Caller,
): Checked<ParameterValues> {
  if (caller.entityIds === undefined) return accepted(parameters);
  const given = parameters['entityId'];
  const entityId = given ?? (caller.entityIds.length === 1 ? caller.entityIds[0] : undefined);
  if (entityId === undefined || !caller.entityIds.includes(entityId)) {
    return rejected(refuse(context, '800.900.201'));
  }
  return accepted(given === undefined ? { ...parameters, entityId } : parameters);
}
