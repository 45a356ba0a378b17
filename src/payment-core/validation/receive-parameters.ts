import { emptyParameters } from './empty-parameters.js';
import type { ParameterError } from './parameter-error.js';

/**
 * More parameters than a request with every field of every one of 1001 cart items; what is beyond it is no
 * request, and is not looked at.
 */
export const mostParameters = 50_000;

/** The longest field has 65,536 characters, which can be two UTF-16 units each. */
export const longestValue = 131_072;

/** Names and values together. A full cart with every field of every item stays below. */
export const mostCharacters = 8 * 1024 * 1024;

/**
 * The parameters of a request as they were at the moment of the call. The caller may change its object later,
 * and a getter may answer differently the next time: neither reaches what is validated, stored and charged.
 */
export interface ReceivedParameters {
  /** A record without prototype; values are what was sent, of any type. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why the parameters cannot be read at all; then `values` is empty. */
  readonly error: ParameterError | undefined;
}

/** Copies parameters within bounds, each read once. Never throws, whatever it is given. */
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
  const names = Object.keys(parameters);
  if (names.length > mostParameters) {
    return refused(`A request has at most ${mostParameters} parameters, and this one has ${names.length}`);
  }
  const values: Record<string, unknown> = emptyParameters();
  let characters = 0;
  for (const name of names) {
    // An own property of an object that is known by no type.
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
