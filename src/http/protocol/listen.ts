import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { portUnavailable } from '../../port-unavailable.js';

/**
 * Lets a server listen, and returns its address.
 *
 * @param port 0 for any free one
 * @throws ReconError PORT_UNAVAILABLE
 */
export async function listen(
  server: FastifyInstance,
  scheme: 'http' | 'https',
  host: string,
  port: number,
): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (thrown) {
    throw portUnavailable(host, port, thrown);
  }
  const address = server.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${bound}`;
}
