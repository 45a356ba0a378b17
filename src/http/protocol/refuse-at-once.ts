import type { FastifyInstance } from 'fastify';
import type { GatewayContext } from '../gateway-context.js';
import { isEnding } from './gateway-response.js';
import { stopping, withoutHost } from './refuse-protocol.js';
import { sendAnswer } from '../send-answer.js';
import { answeredAtStopMs, headersOfEveryAnswer } from './server-options.js';
import { trustedPeers } from './trusted-peers.js';

/**
 * Answers before anything else is looked at: to a request that comes too late while the gateway stops, to one without a
 * host, and to a peer that may not connect. What comes over a kept connection in the first moment of a stop is answered
 * as usual: no balancer can know that early, and none may send a payment twice because of a 503.
 */
export function refuseAtOnce(
  server: FastifyInstance,
  { core, settings, certificates }: GatewayContext,
): void {
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
    if (isRefusing) return void sendAnswer(reply, stopping(core));
    const { headers, httpVersionMinor } = request.raw;
    if (headers.host === undefined && httpVersionMinor > 0) return void sendAnswer(reply, withoutHost(core));
    // Card data must not have been sent unencrypted: only the proxies that end TLS may connect without it.
    const { remoteAddress = '' } = request.raw.socket;
    if (!mayConnect(remoteAddress))
      return void sendAnswer(reply, { status: 403, body: core.refuse('800.900.401') });
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    // A connection that stays open would delay the end of the process until its client closes it.
    if (isStopping) reply.header('connection', 'close');
    done();
  });
}
