import type {
  Caller,
  Environment,
  ErrorResponse,
  ParameterError,
  PaymentCore,
  RequestKind,
} from '../payment-core/index.js';
import type { OwnParameter } from './own-parameters.js';
import type { Principal } from './tokens/find-token.js';
import type { Role } from './tokens/roles.js';

/** A request that was read, and whose sender is known and may make it. */
export interface Call {
  readonly core: PaymentCore;
  readonly environment: Environment;
  /** The id in the path; empty for a path without one. */
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The one entity that the request is for. */
  readonly caller: Caller;
  /** Missing only on a path that needs no token. */
  readonly principal: Principal | undefined;
}

/** What is sent back. An object is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a POST, and how it differs from what its kind of request needs. */
export interface BodyOfRoute {
  /** Its name in the documents, of which generators of clients make the name of a type. */
  readonly name: string;
  /** Nothing of its kind is required: the rest is stored already. */
  readonly isPartial?: boolean;
  /** Without a token, only what a shopper may enter is accepted. */
  readonly byForm?: boolean;
  /** Parameters that belong to no kind of request. */
  readonly own?: readonly OwnParameter[];
  /** Parameters that are required here, and not in every request of its kind. */
  readonly needs?: readonly string[];
  /** The payment type that needs neither amount nor currency. */
  readonly withoutAmount?: string;
}

/**
 * One path and method of the gateway (design 10). `access` lists the roles that may use it; `form`: the form of a
 * checkout, which needs no token; `open`: everybody.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:id` for the id of the resource. */
  readonly path: string;
  readonly access: readonly Role[] | 'form' | 'open';
  /** What it does, for the documents. */
  readonly summary: string;
  /** The kind of request whose parameters it accepts. */
  readonly kind?: RequestKind;
  /** Parameters of its query that belong to no kind of request. */
  readonly query?: readonly OwnParameter[];
  /** The body of a POST; for the documents. */
  readonly body?: BodyOfRoute;
  /** `none`: only the entity may be named. `route`: the route reads all parameters. */
  readonly parameters: 'none' | 'route';
  /** A POST whose operation checks the token of its sender where it stores something. */
  readonly checksToken?: true;
  readonly answer: (call: Call) => Promise<Answer> | Answer;
}

/** The response to a request with an invalid parameter: 200.300.404, with its name and without its value. */
export function refusedParameter(core: PaymentCore, name: string, message: string): ErrorResponse {
  const error: ParameterError = { name, value: null, message: `${name} ${message}` };
  return core.refuse('200.300.404', [error]);
}
