import type { IncomingMessage } from 'node:http';
import type { PaymentCore } from '../payment-core/index.js';
import type { Answer, Route } from './call.js';
import type { FindToken, Principal } from './tokens/find-token.js';
import type { Role } from './tokens/roles.js';

const invalidAuthentication = '800.900.300';
const withoutRole = '800.900.301';

/** RFC 6750: the scheme in any case, one token of the characters that a token may have. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*) *$/i;

/** A request that carries a token of somebody who may make it, or the answer that refuses it. */
export type Authenticated = { readonly principal: Principal | undefined } | { readonly refused: Answer };

/** Who sends a request. With `confirmed`, no answer is sent before it agrees. */
type Sender = Authenticated | { readonly principal: Principal; readonly confirmed: Promise<Authenticated> };

/**
 * Finds out who sent a request, before its body is read: without a well-formed header 401, with an unknown, expired or
 * revoked token 403, without the role of the path 403 (operations 5).
 *
 * A read with a token that was valid before starts at once, while the token is looked up: two round trips become one. Its
 * answer waits for the look-up.
 */
export async function authenticate(
  { core, findToken }: { core: PaymentCore; findToken: FindToken },
  request: IncomingMessage,
  { access, method }: Pick<Route, 'access' | 'method'>,
): Promise<Sender> {
  if (access === 'open') return { principal: undefined };
  const headers = headersOf(request);
  if (access === 'form' && headers.length === 0) return { principal: undefined };
  const [, token] = (headers.length === 1 && bearer.exec(headers[0] ?? '')) || [];
  if (token === undefined) {
    const challenge = { 'www-authenticate': 'Bearer' };
    return { refused: { status: 401, body: core.refuse(invalidAuthentication), headers: challenge } };
  }
  const permitted = access === 'form' ? (['payments'] as const) : access;
  const { before, now } = findToken(token);
  const confirmed = now.then((owner) => permit(core, owner, permitted));
  // A request that is refused for another reason never reads it.
  confirmed.catch(() => undefined);
  if (method !== 'GET' || before === undefined || !hasRole(before, permitted)) return confirmed;
  return { principal: before, confirmed };
}

function permit(
  core: PaymentCore,
  principal: Principal | undefined,
  permitted: readonly Role[],
): Authenticated {
  if (principal === undefined) return { refused: { status: 403, body: core.refuse(invalidAuthentication) } };
  return hasRole(principal, permitted)
    ? { principal }
    : { refused: { status: 403, body: core.refuse(withoutRole) } };
}

function hasRole({ roles }: Principal, permitted: readonly Role[]): boolean {
  return permitted.some((role) => roles.includes(role));
}

/** All of them: Node keeps only the first of several Authorization headers. */
function headersOf({ rawHeaders }: IncomingMessage): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && isAuthorization(rawHeaders[index - 1]));
}

const isAuthorization = (name: string | undefined) => name?.toLowerCase() === 'authorization';
