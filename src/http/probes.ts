import Fastify, { type FastifyInstance } from 'fastify';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { requireWritable } from '../db/require-writable.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { knowAllMethods, readingMethods, refuseOtherMethods } from './protocol/refuse-other-methods.js';

interface ProbeContext {
  readonly sql: Sql;
  readonly logger: Logger;
}

/** Answers 200 as long as the process can answer at all. */
export const livenessPath = '/livez';
const [readinessPath, metricsPath] = ['/readyz', '/metrics'];

/** What operators and their tools read. */
export const probePaths: readonly string[] = [livenessPath, readinessPath, metricsPath];

/** `/livez`: the process answers. */
export function addLiveness(server: FastifyInstance): void {
  server.get(livenessPath, (_request, reply) => reply.send({ status: 'ok' }));
}

/** `/readyz`: it can do its work, because it reaches its database and can write to it. */
export function addReadiness(server: FastifyInstance, { sql, logger }: ProbeContext): void {
  server.get(readinessPath, async (_request, reply) => {
    try {
      await requireWritable(sql);
      return await reply.send({ status: 'ready' });
    } catch (thrown) {
      logger.warn({ err: toReconError(thrown) ?? thrown }, 'Not ready: the database cannot be used.');
      return reply.code(503).send({ status: 'unavailable', reason: 'database' });
    }
  });
}

/** `/metrics`: also while the database is unreachable, which is one of them. */
export function addMetrics(server: FastifyInstance, metrics: Metrics): void {
  server.get(metricsPath, async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.render()),
  );
}

/** The server of an admin port, which has nothing but probes and metrics, without TLS. */
export function buildAdminServer(context: ProbeContext & { readonly metrics: Metrics }): FastifyInstance {
  const server = Fastify({ logger: false, forceCloseConnections: true });
  addLiveness(server);
  addReadiness(server, context);
  addMetrics(server, context.metrics);
  knowAllMethods(server);
  for (const path of probePaths) {
    refuseOtherMethods(server, path, readingMethods, () => ({ status: 'method not allowed' }));
  }
  return server;
}
