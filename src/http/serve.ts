import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { HttpSettings } from '../config/http-schema.js';
import type { Sql } from '../db/client.js';
import { systemCodeOf } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import type { Logger } from '../logger.js';
import { createPaymentCore, operations, type PaymentCore } from '../payment-core/index.js';
import { readEncryptionKeys } from './encryption-keys.js';
import { buildGateway } from './gateway.js';
import { keepRunningDueJobs } from './run-due-jobs.js';

export interface ServeOptions {
  readonly sql: Sql;
  readonly settings: HttpSettings;
  /** The text of the configured encryption keys; null if there are none. */
  readonly keys: string | null;
  readonly dataDirectory: string;
  readonly logger: Logger;
}

/** A gateway that listens. */
export interface Gateway {
  readonly url: string;
  /** Accepts nothing new, finishes the requests in progress, and closes. */
  close(): Promise<void>;
}

/**
 * Starts the gateway over the payment core.
 *
 * @throws ReconError CONFIG_INVALID when it must not start with these settings, or its address is not free
 */
export async function startGateway(options: ServeOptions): Promise<Gateway> {
  const { sql, settings, logger } = options;
  checkSettings(settings);
  const { environment, limits, checkoutStatusPerMinute } = settings;
  const { keys: configured, dataDirectory } = options;
  const core = await createPaymentCore({
    sql,
    environment,
    encryptionKeys: await readEncryptionKeys({ configured, environment, dataDirectory }),
    throttling: limits,
    ...(checkoutStatusPerMinute === 0 ? {} : { checkoutStatusPerMinute }),
    logger,
  });
  const server = buildGateway({ sql, core, settings, logger });
  const url = await listen(server, settings);
  const stopJobs = keepRunningDueJobs(core, logger);
  return { url, close: () => close(server, core, stopJobs) };
}

async function close(
  server: FastifyInstance,
  core: PaymentCore,
  stopJobs: () => Promise<void>,
): Promise<void> {
  await Promise.all([server.close(), stopJobs()]);
  await core.close();
}

async function listen(server: FastifyInstance, { host, port }: HttpSettings): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    const why =
      code === 'EADDRINUSE'
        ? 'another program listens there'
        : code === 'EACCES'
          ? 'the account may not use this port'
          : `the address cannot be used${code === undefined ? '' : ` (${code})`}`;
    throw new ReconError('CONFIG_INVALID', `The gateway cannot listen on ${host} port ${port}: ${why}.`, {
      cause: thrown,
    });
  }
  const address = server.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${bound}`;
}

function checkSettings({ host, trustProxy, limits }: HttpSettings): void {
  if (!isLoopback(host) && trustProxy.length === 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      `http.host ${host} can be reached from other machines, and card data must not travel unencrypted. Listen on 127.0.0.1, or set http.trustProxy if a proxy ends TLS.`,
    );
  }
  const known: ReadonlySet<string> = new Set(operations);
  const unknown = Object.keys(limits).filter((operation) => !known.has(operation));
  if (unknown.length > 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      `http.limits: there is no operation ${unknown.join(', ')}; the operations are ${operations.join(', ')}.`,
    );
  }
}

/** Whether only this machine can connect. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
