import type { IncomingHttpHeaders } from 'node:http';

/** What of a request decides whether it is answered. */
export interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** The names under which a browser on this machine reaches the page. The port may be that of a tunnel. */
const hosts = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i;

/**
 * Why a request is refused before anything else of it is looked at; null if it is not.
 *
 * - A page of the internet can give its own name the address 127.0.0.1 (DNS rebinding); the browser then sends that
 *   name as Host.
 * - Another page can send a POST to this one, and the browser adds the cookie where it is of the same site, which a
 *   page of another port is; but it also says in Origin where the request comes from.
 */
export function refusalOfRequest({ method, headers }: RequestHead): string | null {
  const host = headers.host ?? '';
  if (!hosts.test(host)) return 'The page answers only as 127.0.0.1 or localhost.';
  if (method === 'GET' || method === 'HEAD') return null;
  if (method !== 'POST') return `The page does not take ${method}.`;
  if (headers.origin !== `http://${host}`) return 'A decision can only be sent from the page itself.';
  const type = headers['content-type'] ?? '';
  return /^application\/json\b/i.test(type) ? null : 'A decision is sent as application/json.';
}
