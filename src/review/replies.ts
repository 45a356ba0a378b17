import type { ServerResponse } from 'node:http';
import { toReconError } from '../db/database-errors.js';
import { ReconError, exitCodes, type ErrorCode } from '../errors.js';

/**
 * Headers of every reply. Only files of this server are loaded, no script or style stands in the page itself, no other
 * page may show or read it, and nothing stays in a cache.
 */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** An answer before its headers for safety are added. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a reply with the headers that every reply has; a HEAD request gets no body. */
export function send(response: ServerResponse, { status, type, body, headers: added }: Reply): void {
  response.writeHead(status, {
    ...headers,
    ...added,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** A reply with the document as JSON. */
export function jsonReply(document: unknown, status = 200): Reply {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(document) };
}

const statusOf: Partial<Record<ErrorCode, number>> = {
  USAGE_INVALID: 400,
  REVIEW_REFUSED: 403,
  ITEM_NOT_FOUND: 404,
  RECORD_NOT_FOUND: 404,
  DECISION_CONFLICT: 409,
  DECISION_REFUSED: 422,
};

/** The error as `--json` prints it. A defect says nothing of its cause, which is logged. */
export function errorReply(thrown: unknown): Reply {
  const known = thrown instanceof ReconError ? thrown : toReconError(thrown);
  if (known === undefined) {
    const error = {
      code: null,
      message: 'There is a defect in recon; the log of recon review says more.',
      advice: '',
    };
    return jsonReply({ error }, 500);
  }
  const { code, message, advice } = known;
  const status = statusOf[code] ?? (known.exitCode === exitCodes.database ? 503 : 500);
  return jsonReply({ error: { code, message, advice } }, status);
}

/** A page for whoever has no cookie, without script or style. */
export function refusedPage(reason: string): Reply {
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>recon review</title></head>
<body><h1>This page needs its link</h1><p>${reason}</p></body></html>
`;
  return { status: 403, type: 'text/html; charset=utf-8', body };
}
