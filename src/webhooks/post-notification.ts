import {
  request as httpRequest,
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { readPackageVersion } from '../package-version.js';
import { guardedLookup, PrivateAddressError, systemResolver, type Resolver } from './guarded-lookup.js';
import type { NotificationRequest } from './notification-request.js';
import { isPublicAddress } from './public-address.js';
import { reasonOfFailure } from './reason-of-failure.js';
import { readRetryAfter } from './retry-delays.js';
import { allowedHosts, hostOf, urlProblem } from './webhook-url.js';

/** How notifications are sent. */
export interface PosterSettings {
  /** Names of hosts that may have a private address, and may be reached without TLS. */
  readonly allowHosts: readonly string[];
  /** For everything until the status of the answer: name, connection, TLS, request. */
  readonly timeoutMs: number;
  /** Certificates of authorities to trust besides those that Node trusts; null if there are none. */
  readonly authorities: string | null;
}

/** How an attempt ended. */
export type Attempt =
  | { readonly outcome: 'delivered'; readonly status: number }
  /** 410: the receiver wants no more. */
  | { readonly outcome: 'gone'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }
  /** This process stops; it does not count. */
  | { readonly outcome: 'stopped' };

/** Sends requests to receivers, over connections that it keeps. */
export interface Poster {
  post(url: string, request: NotificationRequest, stop: AbortSignal): Promise<Attempt>;
  /** Trusts these authorities from the next request on; see {@link PosterSettings}. */
  trust(authorities: string | null): void;
  close(): void;
}

/** The body of an answer is ignored. A little of it is read, so that the connection can be used again. */
const readBytes = 16 * 1024;
const readMs = 2000;
const userAgent = `recon/${readPackageVersion().version}`;
/** Connections that are kept while nothing is sent. */
const keptPerHost = 4;

/**
 * Sends notifications. It follows no redirect, and connects to no private address (F132), neither one that the URL has
 * nor one that a name has at the moment of the connection.
 *
 * @param outside clock (milliseconds since the epoch) and name server; default: those of the system
 */
export function createPoster(
  settings: PosterSettings,
  outside: { readonly clock?: () => number; readonly resolve?: Resolver | undefined } = {},
): Poster {
  const { clock = Date.now, resolve = systemResolver } = outside;
  const allowed = allowedHosts(settings.allowHosts);
  const lookup = guardedLookup(allowed, resolve);
  const options = { keepAlive: true, maxFreeSockets: keptPerHost, lookup };
  const trusting = (authorities: string | null) =>
    new HttpsAgent({ ...options, minVersion: 'TLSv1.2', ...trusted(authorities) });
  let agents = { 'http:': new HttpAgent(options), 'https:': trusting(settings.authorities) };
  return {
    post: async (text, request, stop) => {
      const problem = urlProblem(text, allowed);
      if (problem !== null) return failed(`the URL ${problem}`);
      const url = new URL(text);
      const isAllowed = (address: string) => allowed.has(hostOf(url)) || isPublicAddress(address);
      return send(url, request, { agents, isAllowed, timeoutMs: settings.timeoutMs, clock, stop });
    },
    trust: (authorities) => {
      const before = agents['https:'];
      agents = { ...agents, 'https:': trusting(authorities) };
      // What is in progress ends first. Its connection is not used again.
      for (const socket of Object.values(before.freeSockets).flat()) socket?.destroy();
      before.on('free', (socket: Socket) => socket.destroy());
    },
    close: () => {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

/** Node's own authorities are replaced by `ca`, so they are part of it. */
function trusted(authorities: string | null): { ca?: string[] } {
  return authorities === null ? {} : { ca: [...rootCertificates, authorities] };
}

interface Sending {
  readonly agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
  readonly isAllowed: (address: string) => boolean;
  readonly timeoutMs: number;
  readonly clock: () => number;
  readonly stop: AbortSignal;
}

function create(url: URL, { body, headers }: NotificationRequest, agents: Sending['agents']): ClientRequest {
  const isTls = url.protocol === 'https:';
  return (isTls ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    agent: isTls ? agents['https:'] : agents['http:'],
    headers: {
      ...headers,
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': userAgent,
      Accept: '*/*',
    },
  });
}

function send(
  url: URL,
  request: NotificationRequest,
  { agents, isAllowed, timeoutMs, clock, stop }: Sending,
): Promise<Attempt> {
  return new Promise((resolve) => {
    let sent = create(url, request, agents);
    let hasEnded = false;
    const end = (attempt: Attempt) => {
      hasEnded = true;
      clearTimeout(timer);
      stop.removeEventListener('abort', stopped);
      resolve(attempt);
    };
    const stopped = () => {
      end({ outcome: 'stopped' });
      sent.destroy();
    };
    const timer = setTimeout(() => {
      end(failed(`no answer within ${timeoutMs / 1000} s`));
      sent.destroy();
    }, timeoutMs);
    stop.addEventListener('abort', stopped);
    if (stop.aborted) stopped();
    const follow = () => {
      sent.on('socket', (socket) => {
        // A host that is an address is not looked up.
        const check = () => {
          const address = socket.remoteAddress ?? '';
          if (isIP(address) !== 0 && !isAllowed(address)) {
            sent.destroy(new PrivateAddressError(hostOf(url), address));
          }
        };
        if (socket.connecting) socket.once('connect', check);
        else check();
      });
      // After the end, an error changes nothing: a promise keeps its first result.
      sent.on('error', (thrown: NodeJS.ErrnoException) => {
        if (hasEnded || !isStale(sent, thrown)) {
          end(failed(reasonOfFailure(thrown)));
          return;
        }
        sent = create(url, request, agents);
        follow();
      });
      sent.on('response', (response) => {
        end(judge(response, clock()));
        readOn(response);
      });
      // Without a listener, Node closes the connection of a 101 and reports nothing.
      sent.on('upgrade', (response, socket) => {
        end(judge(response, clock()));
        socket.destroy();
      });
      sent.end(request.body);
    };
    follow();
  });
}

/**
 * Whether the receiver closed a connection that was kept, which it may do at the very moment of the next request (RFC
 * 9112, 9.3.1). That says nothing about the receiver, and the next attempt would be a minute later, so the request is
 * sent again. It ends: each time one of the kept connections is used up, and a new one counts as the receiver's answer.
 */
function isStale(sent: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function judge({ statusCode: status = 0, headers }: IncomingMessage, now: number): Attempt {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status };
  if (status === 410) return { outcome: 'gone', reason: 'the receiver answered 410' };
  const retryAfterMs = readRetryAfter(headers['retry-after'], now);
  const why =
    status === 101
      ? ' (no other protocol was asked for)'
      : status >= 300 && status < 400
        ? ' (redirects are not followed)'
        : '';
  return { ...failed(`the receiver answered ${status}${why}`), retryAfterMs };
}

function readOn(response: IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), readMs);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > readBytes) response.destroy();
  });
  response.on('close', () => {
    clearTimeout(timer);
  });
  // The answer is known, so a connection that breaks changes nothing.
  response.on('error', () => undefined);
}

function failed(reason: string): Attempt & { outcome: 'failed' } {
  return { outcome: 'failed', reason, retryAfterMs: null };
}
