import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** A known path with another method: 405 with `Allow`; OPTIONS lists the methods. */
export function refuseOtherMethods(
  server: FastifyInstance,
  path: string,
  allowed: readonly string[],
  body: () => object,
): void {
  const headers = { allow: allowed.join(', ') };
  const refuse = (reply: FastifyReply) =>
    reply
      .code(405)
      .headers(headers)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(body()));
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url: path,
    handler: (_request, reply) => refuse(reply),
    // Whatever the body is, the method is wrong.
    errorHandler: (_error, _request, reply) => void refuse(reply),
  });
  server.options(path, (_request, reply) => reply.code(204).headers(headers).send());
}

/** fastify knows only the usual methods, and would answer PROPFIND as if the path did not exist. */
export function knowAllMethods(server: FastifyInstance): void {
  const known = new Set(server.supportedMethods);
  // CONNECT never becomes a request: Node closes its connection.
  const others = METHODS.filter((method) => !known.has(method) && method !== 'CONNECT');
  for (const method of others) server.addHttpMethod(method);
}

/** What a path that is only read allows. */
export const readingMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
