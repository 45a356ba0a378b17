import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import fastify from 'fastify';
import pino from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { endStuckConnections } from '../../../src/http/protocol/end-stuck-connections.js';

/** Connections of clients that read their answers slowly, or not at all. Time passes only when a test says so. */

const withinMs = 500;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A client that has asked for more than the buffers of the operating system take, and reads nothing yet. */
async function startReader(): Promise<{ client: Socket; socket: Socket; sent: () => number }> {
  const server = fastify();
  server.get('/', (_request, reply) => reply.send('x'.repeat(1024 * 1024)));
  endStuckConnections(server, 'connection', withinMs, pino({ enabled: false }));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const connected = once(server.server, 'connection') as Promise<[Socket]>;
  // Its connection may be reset.
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
    .on('error', () => undefined)
    .pause();
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  const [socket] = await connected;
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60));
  const sent = () => socket.bytesWritten - socket.writableLength;
  while (socket.writableLength === 0) await turn();
  return { client, socket, sent };
}

test('a client that reads slowly keeps its connection for as long as it goes on', async () => {
  const { client, socket, sent } = await startReader();
  for (let times = 0; times < 5; times += 1) {
    const before = sent();
    client.resume();
    while (sent() === before && !socket.destroyed) await turn();
    client.pause();
    vi.advanceTimersByTime(withinMs);
  }
  expect([socket.destroyed, socket.writableLength > 0]).toEqual([false, true]);
});

test('a client that reads nothing for too long loses its connection', async () => {
  const { socket } = await startReader();
  vi.advanceTimersByTime(withinMs);
  expect(socket.destroyed).toBe(false);
  // Until the operating system takes no more, it seems that the client reads.
  for (let times = 0; times < 20 && !socket.destroyed; times += 1) {
    await turn();
    vi.advanceTimersByTime(withinMs);
  }
  expect(socket.destroyed).toBe(true);
});
