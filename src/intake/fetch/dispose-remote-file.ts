import { nameWithHash, showName } from '../../remote/file-names.js';
import type { RemoteFile, RemoteFolder } from '../../remote/remote-folder.js';
import type { AfterSuccess } from '../../remote/source-settings.js';
import { isKnownToDiffer } from './detect-change.js';

/** What identifies the file that was fetched. */
export interface FetchedRemoteFile {
  readonly file: RemoteFile;
  readonly sha256: string;
  readonly sizeBytes: number | null;
  readonly modifiedAtMs: number | null;
}

/**
 * Moves or deletes a remote file whose bytes are stored. A file that was replaced since it was fetched stays,
 * because its new bytes are not stored yet. A file that is already gone needs nothing.
 *
 * @returns why the file was left where it is; undefined when it was moved, deleted or already gone.
 * @throws ReconError SOURCE_* when the server refuses.
 */
export async function disposeOfRemoteFile(
  folder: RemoteFolder,
  fetched: FetchedRemoteFile,
  afterSuccess: AfterSuccess,
): Promise<string | undefined> {
  if (afterSuccess.action === 'none') return undefined;
  const { file, sha256 } = fetched;
  const found = await folder.stat(file);
  if (found === undefined) return undefined;
  if (
    found.isRegular !== true ||
    isKnownToDiffer(found.sizeBytes, fetched.sizeBytes) ||
    isKnownToDiffer(found.modifiedAtMs, fetched.modifiedAtMs)
  )
    return `${showName(file.name)} was replaced since it was fetched; it stays, and the next run fetches it.`;
  if (afterSuccess.action === 'delete') {
    await folder.remove(file);
    return undefined;
  }
  // The same name every day is common; an existing file is not overwritten.
  for (const name of [file.name, nameWithHash(file.name, sha256)]) {
    if (await folder.move(file, afterSuccess.folder, name)) return undefined;
  }
  return `${showName(file.name)} is already in ${afterSuccess.folder}; it stays where it is.`;
}
