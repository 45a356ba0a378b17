import { fieldsOf, positionOf } from '../fields/catalogue/catalogue.js';
import { parseParameterName } from '../fields/parse-parameter-name.js';
import type { RequestKind } from '../fields/request-kinds.js';
import { checkValue } from './check-value.js';
import {
  openRequest,
  type ParameterRequest,
  type SentParameter,
  type ValidationOptions,
} from './parameter-request.js';
import type { ParameterError } from './parameter-error.js';
import { hidden, presentValue } from './present-value.js';
import { refusedName } from './refused-name.js';
import { longestValue, type ReceivedParameters } from './receive-parameters.js';
import { hintForNotation, whyNotAccepted } from './why-not-accepted.js';

/** A parsed request: its parameters that are in the catalogue, and the violations of single parameters. */
export interface RequestReading {
  readonly request: ParameterRequest;
  /** Why the request cannot be read at all. In that case it is empty. */
  readonly unreadable: ParameterError | undefined;
  /** Violations of parameters in the catalogue, with their fields, which determine the order. */
  readonly fieldErrors: readonly { readonly sent: SentParameter; readonly error: ParameterError }[];
  /** Violations by names that are not accepted, sorted by name. */
  readonly nameErrors: readonly ParameterError[];
}

/** To compare a name with all others takes time, and a request may have thousands of names that are not parameters. */
const mostExplained = 3;

/** More names than a form in another notation has. A request may have thousands, each read in two more ways. */
const mostHinted = 500;

/** Parses the received parameters of a request. Names and values are parsed only here, once. */
export function readRequest(
  kind: RequestKind,
  { values, error: unreadable }: ReceivedParameters,
  options: ValidationOptions,
): RequestReading {
  const fields = fieldsOf(kind);
  const sent: SentParameter[] = [];
  const fieldErrors: { sent: SentParameter; error: ParameterError }[] = [];
  const nameErrors: ParameterError[] = [];
  for (const name of Object.keys(values)) {
    const value = values[name];
    const reading = parseParameterName(name);
    const field = reading.ok ? fields.get(reading.template) : undefined;
    if (!reading.ok || field === undefined) {
      const isExplained = nameErrors.length < mostExplained;
      const reason = reading.ok
        ? whyNotAccepted(reading.template, kind, isExplained)
        : `${reading.reason}${nameErrors.length < mostHinted ? hintForNotation(name, kind) : ''}`;
      nameErrors.push(refusedName(name, reason));
      continue;
    }
    const isText = typeof value === 'string';
    // A longer value is refused below, so the rules need only a part of it.
    const looked = isText ? value.slice(0, longestValue) : '';
    const { template, indexes, key } = reading;
    const position = positionOf(field);
    const parameter: SentParameter = { template, indexes, key, name, value: looked, field, position };
    sent.push(parameter);
    const reason = isText ? checkValue(field.type, value) : 'must be a text';
    if (reason === undefined) continue;
    const shown = isText ? presentValue(field, value) : hidden;
    fieldErrors.push({ sent: parameter, error: { name, value: shown, message: `${name} ${reason}` } });
  }
  nameErrors.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { request: openRequest(kind, sent, options), unreadable, fieldErrors, nameErrors };
}
