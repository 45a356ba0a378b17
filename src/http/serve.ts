import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { HttpSettings, WebhookSettings } from '../config/http-schema.js';
import type { Sql } from '../db/client.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { keepDelivering } from '../webhooks/keep-delivering.js';
import { readAuthorities } from '../webhooks/read-authorities.js';
import { readEncryptionKeys } from './encryption-keys.js';
import { readCertificates, reloadCertificates } from './protocol/certificates.js';
import { checkGatewaySettings } from './check-gateway-settings.js';
import { openConfiguredCore } from './configured-core.js';
import { endsWithin } from '../ends-within.js';
import { buildGateway } from './gateway.js';
import { atQuietMoment } from './at-quiet-moment.js';
import { listen } from './protocol/listen.js';
import { buildAdminServer } from './probes.js';
import { moveToCurrentKey } from './move-to-current-key.js';
import { keepRunningDueJobs } from './run-due-jobs.js';
import { simulatorPath } from './widget/simulator-routes.js';
import { answeredAtStopMs } from './protocol/server-options.js';
import { paymentScript, readWidgetFiles } from './widget/widget-files.js';

/** What the gateway needs: its database, its settings and its keys. */
export interface ServeOptions {
  readonly sql: Sql;
  /** Of the same database, for the job queue. */
  readonly databaseUrl: string;
  readonly settings: HttpSettings;
  readonly webhooks: WebhookSettings;
  /** The text of the configured encryption keys; null if there are none. */
  readonly keys: string | null;
  readonly dataDirectory: string;
  /** Where a setting is, as `file:line:column`; null if it is in no file. */
  readonly placeOf: (setting: readonly string[]) => string | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A gateway that listens. */
export interface Gateway {
  readonly url: string;
  /** Of `http.adminPort`. */
  readonly adminUrl: string | null;
  /** Accepts nothing new, finishes the requests in progress within `http.requestTimeoutMs`, and closes. */
  close(): Promise<void>;
}

/**
 * Starts the gateway over the payment core.
 *
 * @throws ReconError CONFIG_INVALID when it must not start with these settings, PORT_UNAVAILABLE
 */
export async function startGateway(options: ServeOptions): Promise<Gateway> {
  const { sql, settings, logger, metrics } = options;
  await checkGatewaySettings(options);
  const { environment } = settings;
  const { keys: configured, dataDirectory } = options;
  const keys = await readEncryptionKeys({ configured, environment, dataDirectory });
  const authorities = await readAuthorities(options.webhooks.caFile ?? null);
  let address = settings.publicUrl;
  const pages = {
    paymentScript,
    simulatorPage: () => `${(address ?? '').replace(/\/$/, '')}${simulatorPath}`,
  };
  readWidgetFiles();
  const core = await openConfiguredCore({ ...options, throttling: settings.limits, pages });
  const tls = settings.tls;
  const certificates = tls === undefined ? undefined : await readCertificates(tls);
  const server = buildGateway({ sql, core, settings, logger, certificates, metrics });
  const parts: Closing[] = [() => atQuietMoment(answeredAtStopMs).then(() => server.close())];
  const finish = async () => {
    await Promise.all(parts.map((part) => part()));
    await core.close();
  };
  const close = async () => {
    const withinMs = Math.max(settings.requestTimeoutMs, shortestStopMs);
    if (await endsWithin(finish(), withinMs)) return;
    logger.error({ withinMs }, notFinished);
    server.server.closeAllConnections();
  };
  try {
    const { host, port, adminPort } = settings;
    const url = await listen(server, tls === undefined ? 'http' : 'https', host, port);
    address ??= url;
    if (tls !== undefined) parts.push(keepCertificates(server, tls, logger));
    parts.push(keepRunningDueJobs({ core, sql }, environment, logger), moveToCurrentKey(core, logger));
    const { databaseUrl, webhooks } = options;
    parts.push(keepDelivering({ ...webhooks, sql, databaseUrl, environment, keys, authorities, logger }));
    if (adminPort === undefined) return { url, adminUrl: null, close };
    const admin = buildAdminServer({ sql, logger, metrics });
    parts.push(() => admin.close());
    return { url, adminUrl: await listen(admin, 'http', host, adminPort), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Longer than notifications may take when the process stops. */
const shortestStopMs = 10_000;

const notFinished =
  'The gateway ended before everything in progress was finished; its database probably does not answer. A payment in progress is stored or not: query it, or send its request again with the same Idempotency-Key.';

/** Ends a part of the gateway. */
type Closing = () => Promise<void>;

function keepCertificates(
  server: FastifyInstance,
  tls: NonNullable<HttpSettings['tls']>,
  logger: Logger,
): Closing {
  // With a certificate, fastify makes a server with TLS.
  const stop = reloadCertificates(server.server as unknown as TlsServer, tls, logger);
  return () => {
    stop();
    return Promise.resolve();
  };
}
