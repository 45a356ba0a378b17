import type { Sql } from '../db/client.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { listen } from './protocol/listen.js';
import { buildAdminServer } from './probes.js';

/** A server for probes and metrics that listens. */
export interface AdminServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts the probes and metrics of a process that has no other server.
 *
 * @throws ReconError PORT_UNAVAILABLE
 */
export async function startAdminServer(
  context: { readonly sql: Sql; readonly logger: Logger; readonly metrics: Metrics },
  host: string,
  port: number,
): Promise<AdminServer> {
  const server = buildAdminServer(context);
  try {
    return { url: await listen(server, 'http', host, port), close: () => server.close() };
  } catch (thrown) {
    await server.close();
    throw thrown;
  }
}
