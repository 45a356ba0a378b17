import type { FastifyReply } from 'fastify';
import type { Answer } from './call.js';

/** Sends the answer of a route, or that of a refusal. */
export function sendAnswer(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
  return (headers === undefined ? reply : reply.headers(headers)).send(
    typeof body === 'string' ? body : JSON.stringify(body),
  );
}
