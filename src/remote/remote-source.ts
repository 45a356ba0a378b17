import { openLocalFolder } from './local-folder.js';
import { lookAfterTransfer } from './look-after-transfer.js';
import type { RemoteSource } from './remote-folder.js';
import { accountOf } from './refused-logins.js';
import type { SourceSettings } from './source-settings.js';

const plainWarning =
  'plain FTP: the password and the files are sent unencrypted, and altered bytes are not detected';
const sha1Warning =
  'allowSha1HostKeys is set: a host key that is proven with SHA-1 is accepted, although such a proof can be forged; remove it once the server offers rsa-sha2-256, ECDSA or Ed25519';

/**
 * Creates a source for its protocol. No other code depends on the protocol. The libraries for SFTP and FTP are loaded
 * when a source needs them: they take a sixth of the time in which a command starts.
 */
export function remoteSource(source: SourceSettings): RemoteSource {
  switch (source.protocol) {
    case 'local':
      return {
        attempts: 1,
        warnings: [],
        account: null,
        open: (signal) => Promise.resolve(openLocalFolder(source, signal)),
      };
    case 'sftp':
      return {
        attempts: source.attempts,
        account: accountOf(source),
        warnings: source.allowSha1HostKeys ? [sha1Warning] : [],
        open: async (signal) => (await import('./sftp-folder.js')).openSftpFolder(source, signal),
      };
    case 'ftp':
    case 'ftps':
      return {
        attempts: source.attempts,
        account: accountOf(source),
        warnings: source.tls === null ? [plainWarning] : [],
        open: async (signal) => {
          const { openFtpFolder } = await import('./ftp-folder.js');
          return lookAfterTransfer(() => openFtpFolder(source, signal), signal);
        },
      };
  }
}
