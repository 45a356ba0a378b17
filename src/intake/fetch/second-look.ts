import type { RemoteFile } from '../../remote/remote-folder.js';
import { changingFile } from './detect-change.js';
import type { FetchDependencies } from './fetched-file.js';
import { vanishedFile } from './receive-file.js';
import type { SourceSessions } from './source-sessions.js';

/** Pause between two listings of a server that reports no times. */
const secondLookMs = 3_000;

/** Waits for a second listing and compares the file with its entry there. */
export type SecondLook = (file: RemoteFile) => Promise<void>;

/**
 * A server that reports no times does not show how long a file has been unchanged. It is listed again after a
 * pause, once for all its files, and files that have changed are deferred.
 *
 * @throws ReconError FILE_CHANGING.
 */
export function lookAgainOnce(
  sessions: SourceSessions,
  { sleep }: Pick<FetchDependencies, 'sleep'>,
): SecondLook {
  let sizes: Promise<ReadonlyMap<string, number | null>> | undefined;
  const list = async () => {
    await sleep(secondLookMs);
    const again = await sessions.do((folder) => folder.list());
    return new Map(again.map(({ name, sizeBytes }) => [name, sizeBytes]));
  };
  return async (file) => {
    sizes ??= list();
    const size = (await sizes).get(file.name);
    if (size === undefined) throw vanishedFile(file);
    if (size !== file.sizeBytes) throw changingFile(file, 'changed between two listings');
  };
}
