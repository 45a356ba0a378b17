import { openFtpFolder } from './ftp-folder.js';
import { openLocalFolder } from './local-folder.js';
import type { RemoteFolder } from './remote-folder.js';
import { openSftpFolder } from './sftp-folder.js';
import type { SourceSettings } from './source-settings.js';

/**
 * Opens a source by its protocol; the signal ends every wait.
 *
 * @throws ReconError SOURCE_*.
 */
export function openRemoteFolder(source: SourceSettings, signal: AbortSignal): Promise<RemoteFolder> {
  switch (source.protocol) {
    case 'local':
      return Promise.resolve(openLocalFolder(source, signal));
    case 'sftp':
      return openSftpFolder(source, signal);
    case 'ftp':
    case 'ftps':
      return openFtpFolder(source, signal);
  }
}
