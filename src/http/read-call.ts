import {
  readParameterList,
  refusedName,
  type Caller,
  type Environment,
  type ErrorResponse,
  type PaymentCore,
  type CallerPermission,
} from '../payment-core/index.js';
import { refusedParameter, type Answer, type Call, type Route } from './call.js';
import { keyHeader } from './answers.js';
import { adaptPairs } from './compatibility/adapt-pairs.js';
import { entityOfRequest } from './entity-of-request.js';
import { readForm, readQuery } from './form-pairs.js';
import type { Principal } from './tokens/find-token.js';

/** A request as it arrived, with its sender. */
export interface Arrived {
  readonly id: string;
  /** The request line's target. */
  readonly url: string;
  readonly body: Uint8Array;
  readonly principal: Principal | undefined;
  /** The permission of the sender, unless it was looked up. */
  readonly permission?: CallerPermission | undefined;
  /** The values of the Idempotency-Key header, one for each time that it was sent. */
  readonly idempotencyKeys: readonly string[];
}

/** As the draft for this header and common clients write it, quotes included. */
const usableKey = /^[\x21-\x7e]{1,255}$/;

/** Why these values of the header are no key, as the end of a sentence; null for a usable key. */
function problemOfKeys([key = '', ...others]: readonly string[]): string | null {
  if (others.length > 0) return 'is sent more than once';
  return usableKey.test(key) ? null : 'must be one key of 1 to 255 visible characters, without spaces';
}

/** Accepted on every path: a token may need the first, and clients send the second with every request in test. */
const everywhere: ReadonlySet<string> = new Set(['entityId', 'testMode']);

/**
 * Reads the parameters of a request from its query and its body, and chooses its entity. A parameter that is sent twice
 * is refused, even when one is in the query and one in the body: neither value is chosen.
 *
 * @returns the call and the retired names that were ignored, or the answer that refuses the request
 */
export function readCall(
  core: PaymentCore,
  environment: Environment,
  route: Route,
  { id, url, body, principal, permission, idempotencyKeys }: Arrived,
): { readonly call: Call; readonly ignored: readonly string[] } | { readonly refused: Answer } {
  const [query, form] = [readQuery(url), readForm(body)];
  if (query === undefined || form === undefined) {
    const where = query === undefined ? 'query' : 'body';
    const message = 'is not a form in UTF-8: a byte or a percent-encoding is invalid';
    return refused(refusedParameter(core, where, message));
  }
  const adapted = adaptPairs(form.length === 0 ? query : [...query, ...form]);
  const { parameters, errors } = readParameterList(adapted.pairs);
  if (errors.length > 0) return refused(core.refuse('200.300.404', errors));
  if (environment === 'live' && parameters['testMode'] !== undefined) {
    return refused(core.refuse('600.200.701'));
  }
  const chosen = principal === undefined ? { caller: {} } : entityOfRequest(core, parameters, principal);
  if ('refused' in chosen) return chosen;
  const extra =
    route.parameters === 'none' ? Object.keys(parameters).filter((name) => !everywhere.has(name)) : [];
  if (extra.length > 0) {
    const errorsOfNames = extra.map((name) => refusedName(name));
    return refused(core.refuse('200.300.404', errorsOfNames));
  }
  const [idempotencyKey] = idempotencyKeys;
  const isKeyed = route.method === 'POST' && principal !== undefined && idempotencyKey !== undefined;
  const problem = isKeyed ? problemOfKeys(idempotencyKeys) : null;
  if (problem !== null) return refused(refusedParameter(core, keyHeader, problem));
  // Members are added to one copy: with a spread for each, this took a third of the time of a read's parameters.
  const caller: { -readonly [Name in keyof Caller]: Caller[Name] } = { ...chosen.caller };
  // A key belongs to an entity; the form of a shopper has none.
  if (isKeyed) caller.idempotencyKey = idempotencyKey;
  if (permission !== undefined) caller.permission = permission;
  if (principal !== undefined) caller.author = `token ${principal.tokenId}`;
  const { ignored } = adapted;
  const read = route.method === 'GET' ? withoutTestMode(parameters) : parameters;
  return { call: { core, environment, id, parameters: read, caller, principal }, ignored };
}

const refused = (body: ErrorResponse) => ({ refused: { status: 400, body } });

/** A read has no test mode: it reads what is stored. */
function withoutTestMode(parameters: Call['parameters']): Call['parameters'] {
  if (parameters['testMode'] === undefined) return parameters;
  const { testMode: _mode, ...others } = parameters;
  return others;
}
