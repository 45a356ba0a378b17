import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Database } from '../db/connect.js';
import { toReconError } from '../db/database-errors.js';
import { ReconError } from '../errors.js';
import type { ItemView } from '../items/item-rows.js';
import type { ExplainSettings } from '../matching/explain/explanation.js';
import { portUnavailable } from '../port-unavailable.js';
import { refusalOfRequest } from './refuse-request.js';
import { limitConcurrency } from './limit-concurrency.js';
import { openCurrentList } from './current-list.js';
import { readPageFiles } from './page-files.js';
import { errorReply, refusedPage, send, type Reply } from './replies.js';
import type { ReviewContext } from './review-api.js';
import { answer, readBody } from './routes.js';
import { cookieOf, createVisitors, type Visitors } from './visitors.js';

/** What the review serves, and who decides on it. */
export interface ReviewOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** 0 for any free port. */
  readonly port: number;
  readonly viewOf: () => ItemView;
  readonly explainSettings: ExplainSettings;
  /** Who decides; null to only show. */
  readonly author: string | null;
  readonly fourEyesAbove: ReadonlyMap<string, bigint>;
  readonly clock: () => number;
  /** Called with a link whenever a browser needs one: when the page is ready, and when one without a cookie asks. */
  readonly showLink: (url: string) => void;
}

/** At most this many requests work with the database at once, each on at most one connection. */
const mostAtOnce = 4;

/**
 * Serves the page on 127.0.0.1 until the signal.
 *
 * @throws ReconError PORT_UNAVAILABLE, DISK_FAILED, errors of the database
 */
export async function serveReview(options: ReviewOptions, signal: AbortSignal): Promise<void> {
  const { database, logger, viewOf } = options;
  const files = await readPageFiles();
  const lists = {
    unresolved: openCurrentList({ database, logger, viewOf, kind: 'unresolved' }),
    resolved: openCurrentList({ database, logger, viewOf, kind: 'resolved' }),
  };
  const context: ReviewContext = { ...options, sql: database.sql, lists };
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 10_000 });
  server.maxConnections = 64;
  try {
    const port = await listen(server, options.port);
    const visitors = createVisitors();
    const link = () => options.showLink(`http://127.0.0.1:${port}/open?token=${visitors.newToken()}`);
    const reply = replyTo({ context, files, visitors, link, cookie: `recon-review-${port}` });
    // The first page is to be there at once, however many items there are, so the link comes after they are read.
    const ready = lists.unresolved.read(() => Promise.resolve());
    server.on('request', (request, response) => {
      const replied = ready.then(() => reply(request));
      replied.then(
        (found) => send(response, found),
        (thrown: unknown) => {
          if (!(thrown instanceof ReconError))
            logger.warn({ err: toReconError(thrown) ?? thrown }, 'A request to the page failed.');
          send(response, errorReply(thrown));
        },
      );
    });
    await ready;
    link();
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await close(server);
    await Promise.all([lists.unresolved.close(), lists.resolved.close()]);
  }
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    // Only programs of this machine reach this address.
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (thrown) {
    throw portUnavailable('127.0.0.1', port, thrown);
  }
  // An address of the network, because it listens on a port.
  return (server.address() as AddressInfo).port;
}

/** What requests are answered with. */
interface Page {
  readonly context: ReviewContext;
  readonly files: ReadonlyMap<string, Reply>;
  readonly visitors: Visitors;
  readonly link: () => void;
  /** Browsers keep cookies by host and not by port, and another person may review on another port. */
  readonly cookie: string;
}

/**
 * Answers requests: files at once, data in turn.
 *
 * @throws ReconError REVIEW_REFUSED, and whatever the operation throws
 */
function replyTo(page: Page): (request: IncomingMessage) => Promise<Reply> {
  const { context, files, visitors, cookie } = page;
  const inTurn = limitConcurrency(mostAtOnce);
  return async (request) => {
    const head = { method: request.method ?? '', headers: request.headers };
    const refusal = refusalOfRequest(head);
    if (refusal !== null) throw new ReconError('REVIEW_REFUSED', refusal);
    const url = urlOf(request);
    const isKnown = visitors.knows(cookieOf(request.headers, cookie));
    if (url.pathname === '/open') return isKnown ? toPage() : openLink(page, url);
    if (!isKnown) {
      if (url.pathname === '/') return needsLink(page);
      throw new ReconError('REVIEW_REFUSED', 'This browser has not opened the link of the page.');
    }
    const file = files.get(url.pathname);
    if (file !== undefined) return file;
    // A request that arrives slowly must not take the turn of another.
    const body = await readBody(request);
    // A decision that has arrived is stored, even if its browser was closed.
    const isAwaited = () => head.method === 'POST' || !request.socket.destroyed;
    const found = await inTurn(() => answer(context, { method: head.method, url, body }), isAwaited);
    return found ?? { status: 404, type: 'text/plain; charset=utf-8', body: 'The page has nothing here.\n' };
  };
}

/** Whatever the target of a request is, it is only a path here: `//name` would be the name of another server. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  return new URL(`http://127.0.0.1${url.startsWith('/') ? '' : '/'}${url}`);
}

const toPage = (headers: Reply['headers'] = {}): Reply => ({
  status: 303,
  type: 'text/plain',
  body: '',
  headers: { location: '/', ...headers },
});

/** Gives a browser that opened the printed link its cookie. */
function openLink(page: Page, url: URL): Reply {
  const admitted = page.visitors.admit(url.searchParams.get('token') ?? '');
  if (admitted === null) return needsLink(page);
  return toPage({ 'set-cookie': `${page.cookie}=${admitted}; HttpOnly; SameSite=Strict; Path=/` });
}

/** A second browser needs a second link, which only the person who started the command sees. */
function needsLink({ visitors, link }: Page): Reply {
  if (!visitors.hasToken()) link();
  return refusedPage('A link works once. Open the link that recon review printed last.');
}

/** Requests in progress have a second to end. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(deadline);
}
