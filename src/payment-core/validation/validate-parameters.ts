import { ReconError } from '../../errors.js';
import { positionOf, requiredFieldsOf } from '../fields/catalogue/catalogue.js';
import type { Field } from '../fields/field.js';
import { environments, isEnvironment, type RequestKind } from '../fields/request-kinds.js';
import { findGaps } from './find-gaps.js';
import type { ParameterError } from './parameter-error.js';
import { inOrder, type ParameterRequest, type ValidationOptions } from './parameter-request.js';
import { cutterOf, holdsAccount } from '../secrets/own-numbers.js';
import { presentValue } from './present-value.js';
import { readRequest, type RequestReading } from './read-request.js';
import { receiveParameters } from './receive-parameters.js';
import { rulesOf } from './rules/all-rules.js';
import type { Violation } from './rules/rule.js';

/**
 * Validates the flat parameters of a request against every field and rule of the specification (design 7), without
 * I/O or clock. Returns all violations at once, or an empty list for a valid request: first invalid and missing
 * parameters in the order of the catalogue, then names that are not accepted, then cross-field rules in the order of
 * their list. Secrets are hidden or truncated in `value`; `message` contains no value.
 *
 * Values are texts, as in a form-encoded body.
 *
 * @throws ReconError USAGE_INVALID for an unknown kind of request or environment, and for nothing else
 */
export function validateParameters(
  kind: RequestKind,
  parameters: Readonly<Record<string, unknown>>,
  options: ValidationOptions,
): ParameterError[] {
  // A program that no compiler checks may leave the options out.
  const given: unknown = options;
  if (typeof given !== 'object' || given === null || !isEnvironment(options.environment)) {
    throw new ReconError(
      'USAGE_INVALID',
      `validateParameters: environment must be ${environments.join(' or ')}.`,
    );
  }
  return judgeReading(readRequest(kind, receiveParameters(parameters), options));
}

/** The violations of a parsed request. */
export function judgeReading(reading: RequestReading): ParameterError[] {
  if (reading.unreadable !== undefined) return [reading.unreadable];
  const { request } = reading;
  const { kind, options } = request;
  const isPart = options.partial === true;
  const found = isPart ? [] : [...findGaps(request.sent)];
  // Nearly every rule of nearly every request finds nothing, and most need not be asked.
  for (const rule of rulesOf(kind)) {
    if (isPart && rule.judgesEachAlone !== true) continue;
    if (rule.about !== undefined && !request.hasAny(rule.about)) continue;
    for (const violation of rule.check(request)) found.push(violation);
  }
  const missing = missingFields(request);
  const { fieldErrors, nameErrors } = reading;
  if (found.length + missing.length + fieldErrors.length + nameErrors.length === 0) return [];
  const errors = [
    ...inCatalogueOrder(fieldErrors, missing),
    ...nameErrors,
    ...withoutRepetition(found.map((violation) => asError(request, violation))),
  ];
  return withoutOwnNumbers(request, errors);
}

/** A refused free text may quote the account number of the same request. */
function withoutOwnNumbers(request: ParameterRequest, errors: readonly ParameterError[]): ParameterError[] {
  const cut = cutterOf(Object.fromEntries(request.sent.map(({ name, value }) => [name, value])));
  return errors.map((error) =>
    error.value === null || holdsAccount(error.name) ? error : { ...error, value: cut(error.value) },
  );
}

/** The required fields that were not sent. None of them has a placeholder in its name. */
function missingFields(request: ParameterRequest): readonly Field[] {
  const { kind, options } = request;
  if (options.partial === true) return [];
  return requiredFieldsOf(kind).filter(
    ({ name }) =>
      request.find(name) === undefined &&
      (options.remaining !== true || (name !== 'amount' && name !== 'currency')),
  );
}

/** Invalid values and missing parameters, in one list in the order of the catalogue. */
function inCatalogueOrder(
  fieldErrors: RequestReading['fieldErrors'],
  missing: readonly Field[],
): readonly ParameterError[] {
  const wrong = [...fieldErrors]
    .sort((a, b) => inOrder(a.sent, b.sent))
    .map(({ sent, error }) => ({ position: sent.position, error }));
  const absent = missing.map((field) => ({
    position: positionOf(field),
    error: { name: field.name, value: null, message: `${field.name} is required` },
  }));
  return [...wrong, ...absent].sort((a, b) => a.position - b.position).map(({ error }) => error);
}

function asError(request: ParameterRequest, { name, message }: Violation): ParameterError {
  const sent = request.find(name);
  return {
    name,
    value: sent === undefined ? null : presentValue(sent.field, sent.value),
    message: `${name} ${message}`,
  };
}

/** Two rules may require the same missing parameter. Only the first of them reports it. */
function withoutRepetition(errors: readonly ParameterError[]): readonly ParameterError[] {
  const missing = new Set<string>();
  return errors.filter(({ name, value }) => {
    if (value !== null) return true;
    const isNew = !missing.has(name);
    missing.add(name);
    return isNew;
  });
}

/**
 * Whether a request is declined with 600.200.701: a test mode in the live environment (operations 1, 7.2).
 * `validateParameters` reports the same as a violation of testMode.
 */
export function isTestModeRefused(
  parameters: Readonly<Record<string, unknown>>,
  { environment }: Pick<ValidationOptions, 'environment'>,
): boolean {
  return (
    environment === 'live' && Object.hasOwn(parameters, 'testMode') && parameters['testMode'] !== undefined
  );
}
