import type { ParameterName } from '../../fields/parameter-names.js';
import type { RequestKind } from '../../fields/request-kinds.js';
import type { ParameterRequest, SentParameter } from '../parameter-request.js';

/** A violation that a rule found. The caller adds the masked value, or null for a missing parameter. */
export interface Violation {
  /** The invalid or missing parameter. */
  readonly name: string;
  /** Completes "<name> …". Contains no part of a value. */
  readonly message: string;
}

/** One cross-field rule of the documents. */
export interface Rule {
  /** Words with hyphens; unique. */
  readonly name: string;
  /** The document and its section. */
  readonly section: string;
  /** The rule in one sentence, for the documentation. */
  readonly statement: string;
  /** The kinds of request that the rule applies to. */
  readonly kinds: readonly RequestKind[];
  /**
   * The structures and single parameters that it is about, such as `cart` and `sequence`: a request that has none of
   * them cannot violate it. Without this list, every request is checked.
   */
  readonly about?: readonly string[];
  /**
   * Judges each parameter alone, so it also applies to a request that contains changes only. Every other rule needs
   * the parameters that are stored already: it is checked when the changes were added to them.
   */
  readonly judgesEachAlone?: true;
  readonly check: (request: ParameterRequest) => readonly Violation[];
}

/** A list with this violation if the condition holds, otherwise an empty list. */
export function violation(holds: boolean, name: string, message: string): readonly Violation[] {
  return holds ? [{ name, message }] : [];
}

/** A violation for each of the names that was not sent. */
export function missing(
  request: ParameterRequest,
  names: readonly ParameterName[],
  message: string,
): readonly Violation[] {
  return names.filter((name) => !request.has(name)).map((name) => ({ name, message }));
}

/** A violation for each of these parameters, which the request has and must not have. */
export function unwanted(parameters: readonly SentParameter[], message: string): readonly Violation[] {
  return parameters.map(({ name }) => ({ name, message }));
}
