import type { IncomingMessage } from 'node:http';
import type { CallerPermission, ErrorResponse, PaymentCore } from '../payment-core/index.js';
import type { Answer, Route } from './call.js';
import type { FindToken, Principal } from './tokens/find-token.js';
import type { Role } from './tokens/roles.js';

const invalidAuthentication = '800.900.300';
const withoutRole = '800.900.301';

/** RFC 6750: the scheme in any case, one token of the characters that a token may have. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*) *$/i;

/** A request that carries a token of somebody who may make it, or the answer that refuses it. */
export type Authenticated = { readonly principal: Principal | undefined } | { readonly refused: Answer };

/**
 * Whoever sent a request, as far as it is known when the request starts. With `confirm`, no answer is sent before it
 * agrees; with `permission`, nothing is stored either unless the token is valid at that moment.
 */
export type Sender =
  | Authenticated
  | {
      readonly principal: Principal;
      readonly permission?: CallerPermission;
      readonly confirm: () => Promise<Authenticated>;
    };

/**
 * Finds out who sent a request, before its body is read: without a well-formed header 401, with an unknown, expired or
 * revoked token 403, without the role of the path 403 (operations 5).
 *
 * A read with a token that was valid before starts at once, while the token is looked up: two round trips become one.
 * Its answer waits for the look-up. A payment with such a token is stored by a statement that checks the token.
 */
export function authenticate(
  { core, findToken }: { core: PaymentCore; findToken: FindToken },
  request: IncomingMessage,
  { access, method, checksToken }: Pick<Route, 'access' | 'method' | 'checksToken'>,
): Sender | Promise<Sender> {
  if (access === 'open') return { principal: undefined };
  const headers = headersOf(request);
  if (access === 'form' && headers.length === 0) return { principal: undefined };
  const [, token] = (headers.length === 1 && bearer.exec(headers[0] ?? '')) || [];
  if (token === undefined) {
    const reason = whyNoToken(headers);
    const body = refuseHeader(core, invalidAuthentication, reason);
    return { refused: { status: 401, body, headers: { 'www-authenticate': 'Bearer' } } };
  }
  const permitted = access === 'form' ? (['payments'] as const) : access;
  const { before, now, permission, isStill } = findToken(token);
  const confirm = async () => judge(core, await now(), permitted);
  if (before === undefined || !hasRole(before, permitted)) return confirm();
  if (method === 'GET') {
    const still = isStill();
    const confirmed =
      still === undefined ? confirm() : still.then((is) => (is ? { principal: before } : confirm()));
    // A request that is refused for another reason never reads it.
    confirmed.catch(() => undefined);
    return { principal: before, confirm: () => confirmed };
  }
  const later = checksToken === true && !('idempotency-key' in request.headers) ? permission() : undefined;
  return later === undefined ? confirm() : { principal: before, permission: later, confirm };
}

function judge(
  core: PaymentCore,
  principal: Principal | undefined,
  permitted: readonly Role[],
): Authenticated {
  if (principal === undefined) {
    const reason = 'names a token that does not exist, has ended or is of the other environment (test, live)';
    return { refused: { status: 403, body: refuseHeader(core, invalidAuthentication, reason) } };
  }
  if (hasRole(principal, permitted)) return { principal };
  const reason = `names a token without the role ${permitted.join(' or ')}, which this request needs`;
  return { refused: { status: 403, body: refuseHeader(core, withoutRole, reason) } };
}

function whyNoToken(headers: readonly string[]): string {
  if (headers.length > 1) return 'is sent more than once';
  return headers.length === 0 ? 'is required: Bearer and a token' : 'must be Bearer and a token';
}

/** Says what is wrong with the header, and nothing about a token that does not exist. */
function refuseHeader(core: PaymentCore, code: string, reason: string): ErrorResponse {
  return core.refuse(code, [{ name: 'Authorization', value: null, message: `Authorization ${reason}` }]);
}

function hasRole({ roles }: Principal, permitted: readonly Role[]): boolean {
  return permitted.some((role) => roles.includes(role));
}

const authorization = 'authorization';

/** All of them: Node keeps only the first of several Authorization headers. */
function headersOf({ rawHeaders }: IncomingMessage): readonly string[] {
  const found: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === authorization.length && name.toLowerCase() === authorization)
      found.push(rawHeaders[index + 1] ?? '');
  }
  return found;
}
