import type { RequestKind } from '../../fields/request-kinds.js';
import type { ParameterRequest } from '../parameter-request.js';

/** What a rule found. The caller adds the value, masked, or null where the parameter is missing. */
export interface Violation {
  /** The offending parameter, or the missing one. */
  readonly name: string;
  /** Completes "<name> …"; holds nothing of any value. */
  readonly message: string;
}

/** One cross-field rule of the documents. */
export interface Rule {
  /** In words with hyphens; unique. */
  readonly name: string;
  /** Document and section. */
  readonly section: string;
  /** The rule in one sentence, for the documentation. */
  readonly statement: string;
  /** The kinds of request that it is about. */
  readonly kinds: readonly RequestKind[];
  readonly check: (request: ParameterRequest) => readonly Violation[];
}

/** A violation that holds or does not. */
export function violation(holds: boolean, name: string, message: string): readonly Violation[] {
  return holds ? [{ name, message }] : [];
}

/** Every one of the names that was not sent. */
export function missing(
  request: ParameterRequest,
  names: readonly Parameters<ParameterRequest['has']>[0][],
  message: string,
): readonly Violation[] {
  return names.filter((name) => !request.has(name)).map((name) => ({ name, message }));
}
