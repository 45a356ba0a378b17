import type { IncomingMessage } from 'node:http';
import type { PaymentCore } from '../payment-core/index.js';
import type { Answer, Route } from './call.js';
import type { FindToken, Principal } from './tokens/find-token.js';

const invalidAuthentication = '800.900.300';
const withoutRole = '800.900.301';

/** RFC 6750: the scheme in any case, one token of the characters that a token may have. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*) *$/i;

type Authenticated = { readonly principal: Principal | undefined } | { readonly refused: Answer };

/**
 * Finds out who sent a request, before its body is read: without a well-formed header 401, with an unknown, expired or
 * revoked token 403, without the role of the path 403 (operations 5).
 */
export async function authenticate(
  { core, findToken }: { core: PaymentCore; findToken: FindToken },
  request: IncomingMessage,
  { access }: Pick<Route, 'access'>,
): Promise<Authenticated> {
  if (access === 'open') return { principal: undefined };
  const headers = headersOf(request);
  if (access === 'form' && headers.length === 0) return { principal: undefined };
  const [, token] = (headers.length === 1 && bearer.exec(headers[0] ?? '')) || [];
  if (token === undefined) {
    const challenge = { 'www-authenticate': 'Bearer' };
    return { refused: { status: 401, body: core.refuse(invalidAuthentication), headers: challenge } };
  }
  const principal = await findToken(token);
  if (principal === undefined) return { refused: { status: 403, body: core.refuse(invalidAuthentication) } };
  const permitted = access === 'form' ? (['payments'] as const) : access;
  if (!permitted.some((role) => principal.roles.includes(role))) {
    return { refused: { status: 403, body: core.refuse(withoutRole) } };
  }
  return { principal };
}

/** All of them: Node keeps only the first of several Authorization headers. */
function headersOf({ rawHeaders }: IncomingMessage): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && isAuthorization(rawHeaders[index - 1]));
}

const isAuthorization = (name: string | undefined) => name?.toLowerCase() === 'authorization';
