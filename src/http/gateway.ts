import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { HttpSettings } from '../config/http-schema.js';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { PaymentCore, CallerPermission } from '../payment-core/index.js';
import { accessLog } from './access-log.js';
import { authenticate, type Sender } from './authenticate.js';
import type { Answer, Route } from './call.js';
import { continueWhenRead } from './continue-when-read.js';
import { endStuckConnections } from './end-stuck-connections.js';
import { isEnding } from './gateway-response.js';
import { answerOfFailure, packedBody, stopping, unknownExpectation, withoutHost } from './refuse-protocol.js';
import { knowAllMethods, readingMethods, refuseOtherMethods } from './refuse-other-methods.js';
import { readCall } from './read-call.js';
import {
  answerBeforeClosing,
  answeredAtStopMs,
  headersOfEveryAnswer,
  serverOptions,
} from './server-options.js';
import { addLiveness, addMetrics, addReadiness, livenessPath, probePaths } from './probes.js';
import { allowedMethods, routes } from './route-table.js';
import { isSame, tokenFinder, type FindToken, type Principal } from './tokens/find-token.js';
import { trustedPeers } from './trusted-peers.js';

/** What the gateway works with. */
export interface GatewayContext {
  readonly sql: Sql;
  readonly core: PaymentCore;
  readonly settings: HttpSettings;
  readonly logger: Logger;
  /** The certificate and its key; undefined for plain HTTP. */
  readonly certificates?: SecureContextOptions | undefined;
  readonly metrics: Metrics;
}

type Unconfirmed = Extract<Sender, { confirm: unknown }>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whoever sent a valid token. */
    principal: Principal | undefined;
    /** Set while the token is not confirmed; no answer is sent before. */
    unconfirmed: Unconfirmed | undefined;
  }
}

const noBody = new Uint8Array();
const formType = 'application/x-www-form-urlencoded';

/**
 * The server of the gateway over the payment core (design 10), not listening yet. A request passes through: stopping?
 * token and role, body within its limits, form, entity, operation of the core, answer.
 */
export function buildGateway(context: GatewayContext): FastifyInstance {
  const { core, settings } = context;
  const server = Fastify(serverOptions(context));
  server.decorateRequest('principal', undefined);
  server.decorateRequest('unconfirmed', undefined);
  acceptForms(server);
  refuseAtOnce(server, context);
  observeAnswers(server, context);
  answerFailures(server, context);
  server.setNotFoundHandler((request, reply) => answerUnknownPath(core, request, reply));
  const findToken = tokenFinder(context.sql, settings.environment);
  for (const route of routes) addRoute(server, context, findToken, route);
  addLiveness(server);
  if (settings.adminPort === undefined) {
    addReadiness(server, context);
    addMetrics(server, context.metrics);
  }
  refuseWrongMethods(server, context);
  refuseExpectations(server, core);
  continueWhenRead(server.server);
  endFailedHandshakes(server);
  answerBeforeClosing(server.server);
  const opened = context.certificates === undefined ? 'connection' : 'secureConnection';
  endStuckConnections(server, opened, settings.requestTimeoutMs, context.logger);
  return server;
}

/** A body is a form in UTF-8, which is not packed. It is read as bytes. */
function acceptForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(formType, { parseAs: 'buffer' }, (request, body, done) => {
    if (isPacked(request)) done(unsupported(packedBody));
    else if (isUtf8(request)) done(null, body);
    else done(unsupported('FST_ERR_CTP_INVALID_MEDIA_TYPE'));
  });
}

/**
 * Answers before anything else is looked at: to a request that comes too late while the gateway stops, to one without a
 * host, and to a peer that may not connect. What comes over a kept connection in the first moment of a stop is answered
 * as usual: no balancer can know that early, and none may send a payment twice because of a 503.
 */
function refuseAtOnce(server: FastifyInstance, { core, settings, certificates }: GatewayContext): void {
  const mayConnect = certificates === undefined ? trustedPeers(settings.trustProxy) : () => true;
  let isStopping = false;
  let isRefusing = false;
  server.addHook('preClose', (done) => {
    isStopping = true;
    setTimeout(() => (isRefusing = true), answeredAtStopMs).unref();
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (isEnding(request.raw.socket)) return;
    reply.headers(headersOfEveryAnswer(request.id));
    // Without `done`, nothing follows this answer.
    if (isRefusing) return void send(reply, stopping(core));
    const { headers, httpVersionMinor } = request.raw;
    if (headers.host === undefined && httpVersionMinor > 0) return void send(reply, withoutHost(core));
    // Card data must not have been sent unencrypted: only the proxies that end TLS may connect without it.
    const { remoteAddress = '' } = request.raw.socket;
    if (!mayConnect(remoteAddress))
      return void send(reply, { status: 403, body: core.refuse('800.900.401') });
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    // A connection that stays open would delay the end of the process until its client closes it.
    if (isStopping) reply.header('connection', 'close');
    done();
  });
}

/** Logs and counts each answer. */
function observeAnswers(server: FastifyInstance, { logger, metrics }: GatewayContext): void {
  const logAccess = accessLog(logger);
  server.addHook('onResponse', (request, reply, done) => {
    logAccess(request, reply);
    metrics.observe({
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
}

/** Answers requests that failed, here or in fastify, as the API does. */
function answerFailures(server: FastifyInstance, { core, logger }: GatewayContext): void {
  server.setErrorHandler((thrown, request, reply) => {
    const failure = toReconError(thrown) ?? thrown;
    const answer = answerOfFailure(core, failure);
    if (answer.status >= 500) logger.error({ err: failure, requestId: request.id }, 'A request failed.');
    return send(reply, answer);
  });
}

/** The answer to a connection without TLS would wait for the end of its handshake, and the connection with it. */
function endFailedHandshakes(server: FastifyInstance): void {
  server.server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
}

function refuseExpectations(server: FastifyInstance, core: PaymentCore): void {
  server.server.on('checkExpectation', (_request, response) => {
    const { status, body } = unknownExpectation(core);
    // Its body was not sent, or is not read.
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
    response.end(JSON.stringify(body));
  });
}

function refuseWrongMethods(server: FastifyInstance, { core, settings }: GatewayContext): void {
  knowAllMethods(server);
  const wrongMethod = () => core.refuse('200.300.403');
  for (const path of new Set(routes.map((route) => route.path))) {
    refuseOtherMethods(server, path, allowedMethods(path), wrongMethod);
  }
  for (const path of settings.adminPort === undefined ? probePaths : [livenessPath]) {
    refuseOtherMethods(server, path, readingMethods, wrongMethod);
  }
}

function addRoute(
  server: FastifyInstance,
  context: GatewayContext,
  findToken: FindToken,
  route: Route,
): void {
  const { core } = context;
  server.route<{ Params: { id?: string } }>({
    method: route.method,
    url: route.path,
    // A promise only if the token must be looked up first: each costs several turns of the queue of microtasks.
    onRequest: (request, reply, done) => {
      const admit = (who: Sender) => {
        if ('refused' in who) return void send(reply, who.refused);
        request.principal = who.principal;
        request.unconfirmed = 'confirm' in who ? who : undefined;
        done();
      };
      const who = authenticate({ core, findToken }, request.raw, route);
      if (who instanceof Promise) who.then(admit).catch(done);
      else admit(who);
    },
    handler: async (request, reply) => {
      const { unconfirmed } = request;
      const answer = answerTo(context, route, request, unconfirmed?.permission);
      if (unconfirmed === undefined) return send(reply, await answer);
      const { permission, principal, confirm } = unconfirmed;
      // If the token is refused, it does not matter what became of the answer.
      answer.catch(() => undefined);
      if (permission !== undefined) {
        const answered = await answer;
        if (await permission.confirm()) return send(reply, answered);
      }
      const who = await confirm();
      if ('refused' in who) return send(reply, who.refused);
      if (permission === undefined && isSame(principal, who.principal)) return send(reply, await answer);
      request.principal = who.principal;
      return send(reply, await answerTo(context, route, request));
    },
  });
}

async function answerTo(
  { core, settings, logger }: GatewayContext,
  route: Route,
  request: FastifyRequest<{ Params: { id?: string } }>,
  permission?: CallerPermission,
): Promise<Answer> {
  const { body } = request;
  if (request.params.id === '') return { status: 404, body: core.refuse('700.400.580', [pathWithoutId]) };
  const arrived = {
    id: request.params.id ?? '',
    url: request.raw.url ?? '',
    body: body instanceof Uint8Array ? body : noBody,
    principal: request.principal,
    permission,
    idempotencyKey: headerOf(request, 'idempotency-key'),
  };
  const read = readCall(core, settings.environment, route, arrived);
  if ('refused' in read) return read.refused;
  if (read.ignored.length > 0) {
    const details = { requestId: request.id, names: read.ignored };
    logger.info(details, 'Retired parameters were ignored.');
  }
  return route.answer(read.call);
}

function answerUnknownPath(core: PaymentCore, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // This asks about the server, not about a path.
  const isAboutServer = request.method === 'OPTIONS' && request.raw.url === '*';
  return isAboutServer
    ? reply.code(204).header('allow', 'GET, HEAD, POST, DELETE, OPTIONS').send()
    : send(reply, { status: 404, body: core.refuse('700.400.580', [unknownPath]) });
}

/** The code is that of an unknown payment, so without this, a misspelt path would look like one. */
const unknownPath = { name: 'path', value: null, message: 'path does not exist; /docs lists all paths' };

/** A slash at the end, or an id that a program did not fill in. */
const pathWithoutId = { name: 'path', value: null, message: 'path has nothing where the id belongs' };

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function send(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
  return (headers === undefined ? reply : reply.headers(headers)).send(
    typeof body === 'string' ? body : JSON.stringify(body),
  );
}

function unsupported(code: string): Error {
  return Object.assign(new Error(code), { code, statusCode: 415 });
}

function isUtf8({ headers }: FastifyRequest): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(headers['content-type'] ?? '') ?? [];
  return /^utf-?8$/i.test(charset);
}

/** A packed body is not unpacked: a few bytes could become gigabytes. */
function isPacked({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}
