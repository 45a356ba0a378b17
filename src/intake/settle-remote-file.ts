import { nameWithHash, showName } from '../remote/file-names.js';
import type { RemoteFile, RemoteFolder } from '../remote/remote-folder.js';
import type { AfterSuccess } from '../remote/source-settings.js';

/** What was fetched, to be recognised. */
export interface SettledFile {
  readonly file: RemoteFile;
  readonly sha256: string;
  readonly sizeBytes: number | null;
  readonly modifiedAtMs: number | null;
}

/**
 * Moves or deletes a remote file whose bytes are stored. One that was replaced since it was fetched is left
 * where it is, for its new bytes are not ours yet; one that was moved away by others is settled.
 *
 * @returns why it was left where it is; undefined when it was dealt with.
 * @throws ReconError SOURCE_* when the server refuses.
 */
export async function settleRemoteFile(
  folder: RemoteFolder,
  fetched: SettledFile,
  afterSuccess: AfterSuccess,
): Promise<string | undefined> {
  if (afterSuccess.action === 'none') return undefined;
  const { file, sha256 } = fetched;
  const found = await folder.stat(file);
  if (found === undefined) return undefined;
  const isOther = (one: number | null, other: number | null) =>
    one !== null && other !== null && one !== other;
  if (
    found.isRegular !== true ||
    isOther(found.sizeBytes, fetched.sizeBytes) ||
    isOther(found.modifiedAtMs, fetched.modifiedAtMs)
  )
    return `${showName(file.name)} was replaced since it was fetched; it stays, and the next run fetches it.`;
  if (afterSuccess.action === 'delete') {
    await folder.remove(file);
    return undefined;
  }
  // The same name every night is common, and what lies there is not overwritten.
  for (const name of [file.name, nameWithHash(file.name, sha256)]) {
    if (await folder.move(file, afterSuccess.folder, name)) return undefined;
  }
  return `${showName(file.name)} lies in ${afterSuccess.folder} already; it stays where it is.`;
}
