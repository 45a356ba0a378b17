import { type ReconError, isFetchFailure } from '../../errors.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import type { SourceSettings } from '../../remote/source-settings.js';
import { failuresInARow, filesAhead } from './fetch-limits.js';
import { inOrder } from './in-order.js';
import type { SourceSessions } from './source-sessions.js';

/** Files by path as the server described each of them, or why it did not. */
export type Descriptions = ReadonlyMap<string, RemoteFile | ReconError>;

/** Whether the listing has size and time of a file. */
export const isDescribed = ({ sizeBytes, modifiedAtMs }: RemoteFile) =>
  sizeBytes !== null && modifiedAtMs !== null;

/**
 * Asks for what the listing did not have: an FTP server without MLSD lists no exact times. All files are asked for
 * before the first is fetched, so that the database is asked once which of them are known, and not for each file that
 * stays on the server. After some failures in a row the others are asked for when their turn comes, if it does.
 */
export async function describeFiles(
  sessions: SourceSessions,
  { maximumSizeBytes }: Pick<SourceSettings, 'maximumSizeBytes'>,
  files: readonly RemoteFile[],
): Promise<Descriptions> {
  const descriptions = new Map<string, RemoteFile | ReconError>();
  let failures = 0;
  const describe = async (file: RemoteFile) => {
    if (failures >= failuresInARow) return;
    try {
      const described = await sessions.do((folder) => folder.stat(file));
      failures = 0;
      if (described !== undefined) descriptions.set(file.path, { ...described, path: file.path });
    } catch (thrown) {
      if (sessions.couldNotOpen(thrown) || !isFetchFailure(thrown)) throw thrown;
      descriptions.set(file.path, thrown);
      failures += 1;
    }
  };
  const incomplete = files.filter((file) => !isDescribed(file) && (file.sizeBytes ?? 0) <= maximumSizeBytes);
  const ahead = { atOnce: () => sessions.most, begun: filesAhead };
  for await (const _ of inOrder(incomplete, describe, ahead, () => sessions.end()));
  return descriptions;
}
