import type { IncomingMessage } from 'node:http';
import { ReconError } from '../errors.js';
import { readDecision, readFilter, readPageRequest } from './read-request.js';
import { jsonReply, type Reply } from './replies.js';
import {
  decideOnPage,
  itemDetail,
  listPage,
  overviewOf,
  patternsOf,
  totalsOf,
  type ReviewContext,
} from './review-api.js';

/** A decision about 5,000 items has half of it. */
const mostBodyBytes = 1024 * 1024;

type Handler = (context: ReviewContext, url: URL, body: string) => Promise<unknown>;

/** What the page asks for, by method and path. */
const handlers: Readonly<Record<string, Handler>> = {
  'GET /api/overview': overviewOf,
  'GET /api/items': (context, { searchParams }) => listPage(context, readPageRequest(searchParams)),
  'GET /api/totals': (context, { searchParams }) => totalsOf(context, readFilter(searchParams)),
  'GET /api/patterns': patternsOf,
  'POST /api/decide': (context, _url, body) => decideOnPage(context, readDecision(body)),
};

/** What a browser asks for. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  /** Empty without one. */
  readonly body: string;
}

/**
 * Answers a request for data; null if the page has no such path.
 *
 * @throws ReconError whatever the operation throws
 */
export async function answer(context: ReviewContext, asked: Asked): Promise<Reply | null> {
  const { url, body } = asked;
  const method = asked.method === 'HEAD' ? 'GET' : asked.method;
  const item = /^\/api\/items\/([0-9a-f]{32})$/.exec(url.pathname)?.[1];
  if (item !== undefined && method === 'GET') return jsonReply(await itemDetail(context, item));
  const handler = handlers[`${method} ${url.pathname}`];
  return handler === undefined ? null : jsonReply(await handler(context, url, body));
}

/**
 * Reads what a request brings along. What is too long is read to its end as well, but not kept: otherwise the browser
 * would wait for the answer to its next request on this connection.
 *
 * @throws ReconError USAGE_INVALID when it is too long, or when its sender has gone
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= mostBodyBytes) chunks.push(chunk);
    }
  } catch {
    throw new ReconError('USAGE_INVALID', 'The request ended before it was complete.');
  }
  if (bytes > mostBodyBytes) throw new ReconError('USAGE_INVALID', 'The request is longer than 1 MiB.');
  return Buffer.concat(chunks).toString('utf8');
}
