import { openFtpFolder } from './ftp-folder.js';
import { openLocalFolder } from './local-folder.js';
import type { RemoteSource } from './remote-folder.js';
import { accountOf } from './refused-logins.js';
import { openSftpFolder } from './sftp-folder.js';
import type { SourceSettings } from './source-settings.js';

/** A source by its protocol. Nothing else asks which protocol a source has. */
export function remoteSource(source: SourceSettings): RemoteSource {
  switch (source.protocol) {
    case 'local':
      return {
        attempts: 1,
        isPlain: false,
        account: null,
        open: (signal) => Promise.resolve(openLocalFolder(source, signal)),
      };
    case 'sftp':
      return {
        attempts: source.attempts,
        account: accountOf(source),
        isPlain: false,
        open: (signal) => openSftpFolder(source, signal),
      };
    case 'ftp':
    case 'ftps':
      return {
        attempts: source.attempts,
        account: accountOf(source),
        isPlain: source.tls === null,
        open: (signal) => openFtpFolder(source, signal),
      };
  }
}
