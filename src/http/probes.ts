import Fastify, { type FastifyInstance } from 'fastify';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';

interface ProbeContext {
  readonly sql: Sql;
  readonly logger: Logger;
}

/** `/livez`: the process answers. */
export function addLiveness(server: FastifyInstance): void {
  server.get('/livez', (_request, reply) => reply.send({ status: 'ok' }));
}

/** `/readyz`: it can serve requests, because it reaches its database. */
export function addReadiness(server: FastifyInstance, { sql, logger }: ProbeContext): void {
  server.get('/readyz', async (_request, reply) => {
    try {
      await sql`select 1`;
      return await reply.send({ status: 'ready' });
    } catch (thrown) {
      logger.warn(
        { err: toReconError(thrown) ?? thrown },
        'The gateway is not ready: the database is unreachable.',
      );
      return reply.code(503).send({ status: 'unavailable', reason: 'database' });
    }
  });
}

/** The server of `http.adminPort`, which has nothing but the probes, without TLS. */
export function buildAdminServer(context: ProbeContext): FastifyInstance {
  const server = Fastify({ logger: false, forceCloseConnections: true });
  addLiveness(server);
  addReadiness(server, context);
  return server;
}
