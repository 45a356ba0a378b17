import type { OpenPgpSettings, SftpLogin } from '../remote/source-settings.js';
import type { ReconConfig } from './recon-config.js';

const secret = '***';

/** The configuration with every secret as `***`: safe to show and log. */
export function maskConfig(config: ReconConfig): Record<string, unknown> {
  return {
    ...config,
    databaseUrl: config.databaseUrl === null ? null : maskUrl(config.databaseUrl),
    paymentCore: { keys: masked(config.paymentCore.keys) },
    archive: {
      ...config.archive,
      keys: Object.fromEntries(Object.keys(config.archive.keys).map((name) => [name, secret])),
    },
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
    reports: {
      ...config.reports,
      deliverTo: config.reports.deliverTo.map((target) =>
        target.protocol === 'local' ? target : { ...target, ...maskLogin(target) },
      ),
    },
    sources: config.sources.map((source) =>
      source.protocol === 'local'
        ? { ...source, openpgp: maskOpenPgp(source.openpgp) }
        : {
            ...source,
            openpgp: maskOpenPgp(source.openpgp),
            ...(source.protocol === 'sftp' ? maskLogin(source) : { password: masked(source.password) }),
          },
    ),
  };
}

function maskOpenPgp(openpgp: OpenPgpSettings | null): OpenPgpSettings | null {
  return openpgp === null ? null : { ...openpgp, privateKey: secret, passphrase: masked(openpgp.passphrase) };
}

const maskLogin = ({ password, privateKey, passphrase }: SftpLogin) => ({
  password: masked(password),
  privateKey: masked(privateKey),
  passphrase: masked(passphrase),
});

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
