import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { PaymentCore } from '../../payment-core/index.js';
import { sendAnswer } from '../send-answer.js';
import { unknownExpectation } from './refuse-protocol.js';

/**
 * Refuses requests that expect something other than `100-continue`. Node reports them instead of handing them on. Here
 * they pass through the server as any other, so that their answer has an id, and is logged and counted.
 */
export function refuseExpectations(server: FastifyInstance, core: PaymentCore): void {
  const refused = new WeakSet<IncomingMessage>();
  server.server.on('checkExpectation', (request, response) => {
    refused.add(request);
    server.server.emit('request', request, response);
  });
  server.addHook('onRequest', (request, reply, done) => {
    // Without `done`, nothing follows this answer.
    if (refused.has(request.raw)) return void sendAnswer(reply, unknownExpectation(core));
    done();
  });
}
