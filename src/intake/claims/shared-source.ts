import type { FtpSource, SftpSource, SourceSettings } from '../../remote/source-settings.js';

/** A source from which workers may download. A folder is a different one on each machine. */
export type NetworkSource = SftpSource | FtpSource;

/** Whether workers can download from it too: they do not share the folders of this machine. */
export const isNetworkSource = (source: SourceSettings): source is NetworkSource =>
  source.protocol !== 'local';

/**
 * What a run and a worker must have in common before the worker downloads from a source: its name and address, and the
 * key that files are archived with. It has no secret in it.
 *
 * @param archiveKey the name of the key of the archive; null if files are archived as they are
 */
export function sharedSource(source: NetworkSource, archiveKey: string | null): string {
  const { name, protocol, username, host, port, folder } = source;
  const address = `${protocol}://${username}@${host.toLowerCase()}:${port}/${folder}`;
  return `${name} ${address} ${archiveKey === null ? '(plain)' : `(key ${archiveKey})`}`;
}
