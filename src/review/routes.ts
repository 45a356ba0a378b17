import type { IncomingMessage } from 'node:http';
import { ReconError } from '../errors.js';
import { readDecision, readFilter, readPageRequest } from './read-request.js';
import { jsonReply, type Reply } from './replies.js';
import {
  decideOnPage,
  itemDetail,
  listPage,
  overview,
  patterns,
  totals,
  type ReviewContext,
} from './review-api.js';

/** A decision about 5,000 items has half of it. */
const mostBodyBytes = 1024 * 1024;

type Handler = (context: ReviewContext, url: URL, request: IncomingMessage) => Promise<unknown>;

/** What the page asks for, by method and path. */
const handlers: Readonly<Record<string, Handler>> = {
  'GET /api/overview': (context) => overview(context),
  'GET /api/items': (context, { searchParams }) => listPage(context, readPageRequest(searchParams)),
  'GET /api/totals': (context, { searchParams }) => totals(context, readFilter(searchParams)),
  'GET /api/patterns': (context) => patterns(context),
  'POST /api/decide': async (context, _url, request) =>
    decideOnPage(context, readDecision(await readBody(request))),
};

/**
 * Answers a request for data; null if the page has no such path.
 *
 * @throws ReconError whatever the operation throws
 */
export async function answer(
  context: ReviewContext,
  url: URL,
  request: IncomingMessage,
): Promise<Reply | null> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const item = /^\/api\/items\/([0-9a-f]{32})$/.exec(url.pathname)?.[1];
  if (item !== undefined && method === 'GET') return jsonReply(await itemDetail(context, item));
  const handler = handlers[`${method} ${url.pathname}`];
  return handler === undefined ? null : jsonReply(await handler(context, url, request));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBodyBytes) throw new ReconError('USAGE_INVALID', 'The request is longer than 1 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
