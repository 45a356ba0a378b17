import { emptyParameters } from './empty-parameters.js';
import type { ParameterError } from './parameter-error.js';

/**
 * More than the number of parameters in a request with every field of all 1001 cart items. A larger request is
 * refused without reading it.
 */
export const mostParameters = 50_000;

/** The longest field has 65,536 characters, which can be two UTF-16 units each. */
export const longestValue = 131_072;

/** Names and values together. A full cart with every field of every item is smaller. */
const mostCharacters = 8 * 1024 * 1024;

/**
 * The parameters of a request as they were at the moment of the call. If the caller changes its object later, or a
 * getter returns another value, this does not affect what is validated, stored and charged.
 */
export interface ReceivedParameters {
  /** A record without prototype. The values may have any type. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why the parameters cannot be read at all. In that case `values` is empty. */
  readonly error: ParameterError | undefined;
}

/** Copies parameters within limits and reads each once. Never throws, whatever the argument. */
export function receiveParameters(parameters: unknown): ReceivedParameters {
  try {
    return copyWithinBounds(parameters);
  } catch {
    // A getter or proxy of the caller threw.
    return refused('The parameters could not be read');
  }
}

function copyWithinBounds(parameters: unknown): ReceivedParameters {
  if (typeof parameters !== 'object' || parameters === null) {
    return refused('The parameters must be an object of names and texts');
  }
  // A list, a Map, URLSearchParams or FormData has its pairs inside, so that it would look empty.
  if (Symbol.iterator in parameters) {
    return refused(
      'The parameters must be an object of names and texts: Object.fromEntries makes one of pairs',
    );
  }
  const names = Object.keys(parameters);
  if (names.length > mostParameters) {
    return refused(`A request has at most ${mostParameters} parameters, and this one has ${names.length}`);
  }
  const values: Record<string, unknown> = emptyParameters();
  let characters = 0;
  for (const name of names) {
    // An own property of an object without a known type.
    const value = (parameters as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    values[name] = value;
    characters += name.length + (typeof value === 'string' ? value.length : 0);
  }
  if (characters > mostCharacters) {
    return refused(`A request has at most ${mostCharacters} characters, and this one has ${characters}`);
  }
  return { values, error: undefined };
}

function refused(message: string): ReceivedParameters {
  return { values: emptyParameters(), error: { name: '', value: null, message } };
}
