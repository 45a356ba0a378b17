import type { HttpSettings, WebhookSettings } from '../config/http-schema.js';
import { ReconError } from '../errors.js';
import { operations } from '../payment-core/index.js';
import { isLoopbackHost } from '../values/host-name.js';
import { readAuthorities } from '../webhooks/read-authorities.js';
import { readCertificates } from './protocol/certificates.js';
import { readEncryptionKeys } from './encryption-keys.js';
import { trustedPeers } from './protocol/trusted-peers.js';

/** What `recon serve` and `recon doctor` check before the gateway listens. */
export interface GatewaySettings {
  readonly settings: HttpSettings;
  readonly webhooks: WebhookSettings;
  /** The text of the configured encryption keys; null if there are none. */
  readonly keys: string | null;
  readonly dataDirectory: string;
  /** Where a setting is, as `file:line:column`; null if it is in no file. */
  readonly placeOf: (setting: readonly string[]) => string | null;
}

/**
 * Checks what the schema of the configuration cannot: names that the payment core knows, files, and what belongs
 * together. Makes nothing, so that `recon doctor` can ask before the gateway is started for the first time.
 *
 * @throws ReconError CONFIG_INVALID with all problems, a line for each
 */
export async function checkGatewaySettings(options: GatewaySettings): Promise<void> {
  const { settings, webhooks, keys, dataDirectory, placeOf } = options;
  const { environment, tls } = settings;
  const problems: string[] = [];
  const check = async (setting: readonly string[] | null, work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      if (!(thrown instanceof ReconError && thrown.code === 'CONFIG_INVALID')) throw thrown;
      const place = setting === null ? null : placeOf(setting);
      problems.push(place === null ? thrown.message : `${place} ${thrown.message}`);
    }
  };
  await check(['http', 'host'], () => refuseUnencrypted(settings));
  await check(['http', 'adminPort'], () => refuseSamePort(settings));
  // fastify would throw an error without a code.
  await check(['http', 'trustProxy'], () => trustedPeers(settings.trustProxy));
  await check(['http', 'limits'], () => refuseUnknownOperations(settings.limits));
  if (tls !== undefined) await check(['http', 'tls'], () => readCertificates(tls));
  // Keys of the test environment that are not configured are made at the first start.
  if (keys !== null || environment === 'live') {
    // They may come from the environment.
    await check(null, () => readEncryptionKeys({ configured: keys, environment, dataDirectory }));
  }
  await check(['webhooks', 'caFile'], () => readAuthorities(webhooks.caFile ?? null));
  if (problems.length > 0) throw new ReconError('CONFIG_INVALID', problems.join('\n'));
}

function refuseUnencrypted({ host, tls, trustProxy }: HttpSettings): void {
  if (tls !== undefined || isLoopbackHost(host) || trustProxy.length > 0) return;
  throw new ReconError(
    'CONFIG_INVALID',
    `http.host ${host} can be reached from other machines, and card data must not travel unencrypted. Set http.tls, or http.trustProxy if a proxy ends TLS, or listen on 127.0.0.1.`,
  );
}

/** Otherwise the message would be about another program that uses the port. Port 0 is any free one. */
function refuseSamePort({ port, adminPort }: HttpSettings): void {
  if (adminPort === undefined || adminPort === 0 || adminPort !== port) return;
  throw new ReconError(
    'CONFIG_INVALID',
    `http.adminPort ${adminPort} is the port of the gateway itself (http.port or --port); choose another one.`,
  );
}

function refuseUnknownOperations(limits: HttpSettings['limits']): void {
  const known: ReadonlySet<string> = new Set(operations);
  const unknown = Object.keys(limits).filter((operation) => !known.has(operation));
  if (unknown.length === 0) return;
  throw new ReconError(
    'CONFIG_INVALID',
    `http.limits: there is no operation ${unknown.join(', ')}; the operations are ${operations.join(', ')}.`,
  );
}
