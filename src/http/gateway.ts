import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { toReconError } from '../db/database-errors.js';
import type { PaymentCore } from '../payment-core/index.js';
import { acceptForms } from './protocol/accept-forms.js';
import { accessLog } from './access-log.js';
import { addRoute, prepareRequests } from './add-route.js';
import { continueWhenRead } from './protocol/continue-when-read.js';
import { endStuckConnections } from './protocol/end-stuck-connections.js';
import type { GatewayContext } from './gateway-context.js';
import { addLiveness, addMetrics, addReadiness, livenessPath, probePaths } from './probes.js';
import { refuseAtOnce } from './protocol/refuse-at-once.js';
import { refuseExpectations } from './protocol/refuse-expectations.js';
import { knowAllMethods, readingMethods, refuseOtherMethods } from './protocol/refuse-other-methods.js';
import { answerOfFailure } from './protocol/refuse-protocol.js';
import { allowedMethods, routes } from './route-table.js';
import { sendAnswer } from './send-answer.js';
import { answerBeforeClosing, serverOptions } from './protocol/server-options.js';
import { tokenFinder } from './tokens/find-token.js';

/**
 * The server of the gateway over the payment core (design 10), not listening yet. A request passes through: stopping?
 * token and role, body within its limits, form, entity, operation of the core, answer.
 */
export function buildGateway(context: GatewayContext): FastifyInstance {
  const { core, settings } = context;
  const server = Fastify(serverOptions(context));
  prepareRequests(server);
  acceptForms(server);
  refuseAtOnce(server, context);
  refuseExpectations(server, core);
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
  continueWhenRead(server.server);
  endFailedHandshakes(server);
  answerBeforeClosing(server.server);
  const opened = context.certificates === undefined ? 'connection' : 'secureConnection';
  endStuckConnections(server, opened, settings.requestTimeoutMs, context.logger);
  return server;
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
    return sendAnswer(reply, answer);
  });
}

/** The answer to a connection without TLS would wait for the end of its handshake, and the connection with it. */
function endFailedHandshakes(server: FastifyInstance): void {
  server.server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
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

function answerUnknownPath(core: PaymentCore, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // This asks about the server, not about a path.
  const isAboutServer = request.method === 'OPTIONS' && request.raw.url === '*';
  return isAboutServer
    ? reply.code(204).header('allow', 'GET, HEAD, POST, DELETE, OPTIONS').send()
    : sendAnswer(reply, { status: 404, body: core.refuse('700.400.580', [unknownPath]) });
}

/** The code is that of an unknown payment, so without this, a misspelt path would look like one. */
const unknownPath = { name: 'path', value: null, message: 'path does not exist; /docs lists all paths' };
