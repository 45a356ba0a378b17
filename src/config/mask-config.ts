import type { OpenPgpSettings } from '../remote/source-settings.js';
import type { ReconConfig } from './load-config.js';

const secret = '***';

/** The configuration with every secret as `***`: safe to show and log. */
export function maskConfig(config: ReconConfig): Record<string, unknown> {
  return {
    ...config,
    databaseUrl: config.databaseUrl === null ? null : maskUrl(config.databaseUrl),
    paymentCore: { keys: masked(config.paymentCore.keys) },
    // The address of a webhook often contains a token.
    alerts: {
      ...config.alerts,
      email: config.alerts.email && {
        ...config.alerts.email,
        password: masked(config.alerts.email.password),
      },
      webhook: config.alerts.webhook && { url: secret, secret },
      command: config.alerts.command && [config.alerts.command[0], secret],
    },
    sources: config.sources.map((source) =>
      source.protocol === 'local'
        ? { ...source, openpgp: maskOpenPgp(source.openpgp) }
        : {
            ...source,
            openpgp: maskOpenPgp(source.openpgp),
            password: masked(source.password),
            ...(source.protocol === 'sftp'
              ? { privateKey: masked(source.privateKey), passphrase: masked(source.passphrase) }
              : {}),
          },
    ),
  };
}

function maskOpenPgp(openpgp: OpenPgpSettings | null): OpenPgpSettings | null {
  return openpgp === null ? null : { ...openpgp, privateKey: secret, passphrase: masked(openpgp.passphrase) };
}

const masked = (value: string | null) => (value === null ? null : secret);

/**
 * Without password and parameters (which may also contain a password); a text that is not a URL is hidden completely.
 */
function maskUrl(text: string): string {
  if (!URL.canParse(text)) return secret;
  const { protocol, username, password, host, pathname } = new URL(text);
  const user = `${username}${password === '' ? '' : `:${secret}`}`;
  return `${protocol}//${user === '' ? '' : `${user}@`}${host}${pathname}`;
}
