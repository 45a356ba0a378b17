import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../logger.js';

/**
 * Ends connections whose client does not read its answers. Node ends slow requests, but it would keep an answer, its memory
 * and a process that stops waiting for as long as the client lives. The operating system takes most answers at once, so
 * a look at the open connections once a second is enough, and costs nothing per request.
 *
 * @param withinMs for how long bytes may wait for their client
 */
export function endSlowReaders(
  server: FastifyInstance,
  event: 'connection' | 'secureConnection',
  withinMs: number,
  logger: Logger,
): void {
  /** Open connections, and since when bytes have been waiting on each; null for none. */
  const waitingSince = new Map<Socket, number | null>();
  server.server.on(event, (socket: Socket) => {
    waitingSince.set(socket, null);
    socket.once('close', () => waitingSince.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, since] of waitingSince) {
      if (socket.writableLength === 0) waitingSince.set(socket, null);
      else if (since === null) waitingSince.set(socket, now);
      else if (now - since >= withinMs) {
        const { remoteAddress: address = null } = socket;
        logger.info({ address, withinMs }, 'A client did not read its answer, so its connection was ended.');
        socket.destroy();
      }
    }
  };
  const timer = setInterval(look, Math.min(1000, withinMs)).unref();
  // While the server stops, answers that were begun are still sent.
  server.server.once('close', () => {
    clearInterval(timer);
  });
}
