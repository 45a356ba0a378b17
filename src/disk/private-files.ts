import { constants } from 'node:fs';
import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, isOccupied, systemCodeOf } from './disk-errors.js';

/** Only the owner may read and write. */
export const privateFile = 0o600;
/** Only the owner may list, enter and change. */
export const privateFolder = 0o700;

/**
 * The mode of a folder whose files have `fileMode`: accounts that may read or write the files may also enter the
 * folder.
 */
export function folderModeFor(fileMode: number): number {
  return fileMode | ((fileMode & 0o444) >> 2) | ((fileMode & 0o222) >> 1);
}

/**
 * The owner of a new file or folder. `account`: the account that runs recon. `folder`: when root runs recon, the
 * owner of the parent folder, so that a run by root does not lock that owner out.
 */
export type Ownership = 'account' | 'folder';

interface Creation {
  readonly mode?: number;
  readonly owner?: Ownership;
  /** The handle can read as well. */
  readonly isReadable?: boolean;
}

/**
 * Creates a file that must not exist yet (nor a link of that name), with exactly this mode whatever the umask.
 * The file is never readable by more accounts than that, not even for a moment.
 */
export async function createFile(
  file: string,
  { mode = privateFile, owner = 'folder', isReadable = false }: Creation = {},
): Promise<FileHandle> {
  const handle = await open(file, isReadable ? 'wx+' : 'wx', mode & privateFile);
  try {
    if (owner === 'folder') await giveToOwnerOf(path.dirname(file), handle);
    await setMode(handle, mode);
    return handle;
  } catch (thrown) {
    await handle.close();
    await rm(file, { force: true });
    throw thrown;
  }
}

/** Creates a file as `createFile` does, writes the whole text and syncs it. */
export async function createTextFile(file: string, text: string, creation: Creation = {}): Promise<void> {
  const handle = await createFile(file, creation);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes sure that a folder exists. A new one has exactly this mode whatever the umask; an existing one is left as it
 * is. Missing parent folders are created for the owner only.
 *
 * @returns the topmost folder that was created; undefined if the folder existed
 */
export async function makeFolder(directory: string, creation: Creation = {}): Promise<string | undefined> {
  return makeWithParents(directory, creation, { mayLackParents: path.dirname(directory) !== directory });
}

/**
 * @param options.mayLackParents false once they were made: a file system such as /proc goes on reporting that the
 *   parent is missing, although it exists
 */
async function makeWithParents(
  directory: string,
  { mode = privateFolder, owner = 'folder' }: Creation,
  { mayLackParents }: { readonly mayLackParents: boolean },
): Promise<string | undefined> {
  try {
    await mkdir(directory, mode & privateFolder);
  } catch (thrown) {
    if (isMissing(thrown) && mayLackParents) {
      const first = await makeFolder(path.dirname(directory), { owner: 'account' });
      const made = await makeWithParents(directory, { mode, owner }, { mayLackParents: false });
      return first ?? made;
    }
    if (isOccupied(thrown) && (await stat(directory)).isDirectory()) return undefined;
    throw thrown;
  }
  await withFolder(directory, async (handle) => {
    if (owner === 'folder') await giveToOwnerOf(path.dirname(directory), handle);
    await setMode(handle, mode);
  });
  return directory;
}

/**
 * Makes sure that a folder that only recon writes to exists with exactly this mode. A more open mode from an earlier
 * version is closed. A folder that root created in a user's data directory is given to the owner of that directory.
 * Folders of another account, and symbolic links, are left as they are.
 */
export async function claimFolder(directory: string, mode = privateFolder): Promise<string | undefined> {
  const made = await makeFolder(directory, { mode });
  if (made !== undefined) return made;
  await withFolder(directory, async (handle) => {
    await giveToOwnerOf(path.dirname(directory), handle);
    await setMode(handle, mode);
  });
  return undefined;
}

/** Lets accounts that may read files of `fileMode` pass through the parent folder, without listing its content. */
export async function letThrough(directory: string, fileMode: number): Promise<void> {
  const pass = folderModeFor(fileMode) & 0o011;
  if (pass === 0) return;
  await withFolder(directory, async (handle) => {
    const { mode } = await handle.stat();
    await setMode(handle, (mode & 0o777) | pass);
  });
}

/**
 * Works on the folder itself, never on the target of a symbolic link with that name: as root, following a link could
 * change the owner or mode of any folder of the machine.
 */
async function withFolder(directory: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let handle: FileHandle;
  try {
    handle = await open(directory, flags);
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === 'ELOOP' || code === 'ENOTDIR') return;
    throw thrown;
  }
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}

/** Only root can change an owner, and only for files that belong to root. */
async function giveToOwnerOf(directory: string, handle: FileHandle): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const [own, above] = await Promise.all([handle.stat(), stat(directory)]);
  if (own.uid !== 0 || above.uid === 0) return;
  await whereSupported(() => handle.chown(above.uid, above.gid));
}

/** Keeps setgid and sticky bits: with setgid, new reports get the group of the folder. */
async function setMode(handle: FileHandle, mode: number): Promise<void> {
  const found = await handle.stat();
  if ((found.mode & 0o777) === mode) return;
  const account = process.geteuid?.();
  if (account !== 0 && account !== found.uid) return;
  await whereSupported(() => handle.chmod((found.mode & 0o7000) | mode));
}

/** Some file systems (vfat, shares of other systems) have no owners or modes; there, the mount options decide. */
async function whereSupported(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (thrown) {
    if (!/^(EPERM|EINVAL|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(systemCodeOf(thrown) ?? '')) throw thrown;
  }
}
