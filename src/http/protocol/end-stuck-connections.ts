import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../logger.js';

/** A connection that waits for its client, which has taken nothing since then. */
interface Wait {
  readonly sinceMs: number;
  /** How many bytes the operating system has taken. */
  readonly sent: number;
}

/**
 * Ends connections whose client does not read its answers, or does not close after the gateway has. Node ends slow
 * requests, but it would keep an answer, its memory, the connection and a process that stops waiting for as long as the
 * client lives. The operating system takes most answers at once, so a look at the open connections once a second is
 * enough, and costs nothing per request. A refused connection is not destroyed with its answer, because what its client
 * still sends would make the operating system drop the answer.
 *
 * @param withinMs for how long a client may take none of the bytes that wait for it, and a closed connection may wait
 *   for its other side
 */
export function endStuckConnections(
  server: FastifyInstance,
  event: 'connection' | 'secureConnection',
  withinMs: number,
  logger: Logger,
): void {
  /** Open connections, and since when each waits for its client; null if it does not. */
  const waiting = new Map<Socket, Wait | null>();
  server.server.on(event, (socket: Socket) => {
    waiting.set(socket, null);
    socket.once('close', () => waiting.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, wait] of waiting) {
      const isUnread = socket.writableLength > 0;
      const sent = socket.bytesWritten - socket.writableLength;
      if (!isUnread && !socket.writableEnded) waiting.set(socket, null);
      else if (wait?.sent !== sent) waiting.set(socket, { sinceMs: now, sent });
      else if (now - wait.sinceMs >= withinMs) {
        const { remoteAddress: address = null } = socket;
        const what = isUnread ? 'read its answer' : 'close its connection';
        logger.info({ address, withinMs }, `A client did not ${what}, so its connection was ended.`);
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
