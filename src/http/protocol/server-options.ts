import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import { anyProxy, type HttpSettings } from '../../config/http-schema.js';
import type { Logger } from '../../logger.js';
import type { PaymentCore } from '../../payment-core/index.js';
import { refusedParameter } from '../call.js';
import { GatewayResponse } from './gateway-response.js';

/** An id of a client that is safe in a header and in a log; any other request gets a new one. */
const usableRequestId = /^[\w.-]{1,64}$/;

/** Names and tokens of a request are far smaller; Node's own limit is the same. */
const maxHeaderSize = 16 * 1024;

/** Ids have at most 48 characters. A longer path segment is an unknown path. */
const maxParamLength = 100;

/** Longer than the 60 seconds after which usual load balancers close an idle connection, so that they close first. */
const keepAliveTimeout = 75_000;

/** Headers of every answer, refusals included: nothing is cached, and the type of a body is not guessed. */
export function headersOfEveryAnswer(requestId: string): Readonly<Record<string, string>> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}

interface ServerContext {
  readonly settings: HttpSettings;
  readonly core: PaymentCore;
  readonly certificates?: SecureContextOptions | undefined;
  readonly logger: Logger;
}

/** The limits of the server: sizes, and times that a slow client cannot extend. */
export function serverOptions({
  settings,
  core,
  certificates,
  logger,
}: ServerContext): FastifyHttpOptions<Server> {
  const { bodyLimitBytes, requestTimeoutMs, trustProxy } = settings;
  const limits: ServerOptions = {
    maxHeaderSize,
    ServerResponse: GatewayResponse,
    // Node would answer without a body; the gateway refuses it.
    requireHostHeader: false,
    headersTimeout: Math.min(requestTimeoutMs, 60_000),
    // Node looks for slow requests only every 30 seconds otherwise.
    connectionsCheckingInterval: Math.min(1000, requestTimeoutMs),
  };
  // fastify makes a server with TLS of these; its types tell the two apart, and nothing here depends on it.
  // A handshake may take as long as a request; Node's own limit is two minutes.
  const listening = (
    certificates === undefined
      ? { http: limits }
      : { https: { ...limits, ...certificates, handshakeTimeout: requestTimeoutMs, allowHalfOpen: true } }
  ) as { readonly http: ServerOptions };
  return {
    ...listening,
    logger: false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout,
    routerOptions: { maxParamLength },
    trustProxy: trustProxy.includes(anyProxy) ? true : trustProxy.length === 0 ? false : [...trustProxy],
    // Connections without a request are closed when the server stops; the others finish.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && usableRequestId.test(given) ? given : randomUUID();
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseConnection(error, socket, core, logger),
    // An escape in the path that cannot be decoded, or a segment that is too long: no such path.
    frameworkErrors: (_error, request, reply) => {
      // The type of the reply depends on a schema, and there is none.
      const untyped = reply as FastifyReply;
      const type = 'application/json; charset=utf-8';
      void untyped
        .code(404)
        .headers(headersOfEveryAnswer(request.id))
        .header('content-type', type)
        .send(JSON.stringify(core.refuse('700.400.580')));
    },
  };
}

/** Lets connections live until their requests are answered, where Node would close them at once. */
export function answerBeforeClosing(server: Server): void {
  answerHalfClosed(server);
  keepIdleForAMoment(server);
}

/**
 * A client may close its sending side once its request is complete, as some proxies do. Node would close the other side
 * at once: the payment would be made, and its answer lost. The declared types of Node lack this property.
 */
function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * For how long a stopping server still answers requests on open connections. A proxy under load uses each of its
 * connections several times in this time.
 */
export const answeredAtStopMs = 500;

/**
 * A stopping server closes the connections that are idle. A request that is on its way over one of them would be lost
 * without an answer, so they stay open for a moment, in which a request gets its answer and then the end of the
 * connection.
 */
function keepIdleForAMoment(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => void setTimeout(closeIdle, answeredAtStopMs).unref();
}

/** By the code of Node: the status, and what is wrong with what. */
const refusals: Readonly<Record<string, readonly [status: number, name: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers', `are larger than ${maxHeaderSize / 1024} KB with the address`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request', 'did not arrive in time'],
};

/** What is not HTTP, too slow, or has too many headers never becomes a request; it is answered on the socket. */
function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Socket,
  core: PaymentCore,
  logger: Logger,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, name, message] = refusals[error.code ?? ''] ?? [400, 'request', 'is not valid HTTP/1.1'];
  const body = JSON.stringify(refusedParameter(core, name, message));
  const { remoteAddress: address = null } = socket;
  logger.info({ address, status, reason: error.code }, 'A connection without a whole request was refused.');
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
