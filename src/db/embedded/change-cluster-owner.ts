import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import type { ServerAccount } from './run-program.js';

/**
 * Gives a cluster that no server uses to another account, as root on Linux. The former owner loses access to the folder
 * first, and the new owner gets it last, so an interrupted change is repeated. Everything in it becomes private.
 *
 * @param from the users whose files may be in it
 * @param prepare changes files while only root can enter the folder
 * @throws ReconError DATABASE_EMBEDDED when it contains something that PostgreSQL did not create
 */
export function changeClusterOwner(
  cluster: string,
  from: readonly number[],
  to: ServerAccount,
  prepare: (folder: string) => void = () => undefined,
): void {
  const owners = new Set([...from, 0, to.uid]);
  const descriptor = openSync(cluster, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { uid } = fstatSync(descriptor);
    if (!owners.has(uid)) throw foreign(cluster, uid);
    fchownSync(descriptor, 0, 0);
    fchmodSync(descriptor, 0o700);
    // The path leads through the open folder, so the owner of the parent folder cannot replace it.
    const folder = `/proc/self/fd/${descriptor}`;
    prepare(folder);
    giveContents(folder, cluster, owners, to);
    fchownSync(descriptor, to.uid, to.gid);
  } finally {
    closeSync(descriptor);
  }
}

function giveContents(folder: string, shown: string, from: ReadonlySet<number>, to: ServerAccount): void {
  for (const name of readdirSync(folder)) {
    const entry = path.join(folder, name);
    const found = lstatSync(entry);
    const isFolder = found.isDirectory();
    // A hard link or a symbolic link could lead to a file outside, which must not be given away.
    if (!from.has(found.uid) || !(isFolder || (found.isFile() && found.nlink === 1) || found.isSocket())) {
      throw foreign(path.join(shown, name), found.uid);
    }
    if (isFolder) {
      lchownSync(entry, 0, 0);
      chmodSync(entry, 0o700);
      giveContents(entry, path.join(shown, name), from, to);
    } else {
      chmodSync(entry, 0o600);
    }
    lchownSync(entry, to.uid, to.gid);
  }
}

function foreign(file: string, uid: number): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `${file} is a link, a special file, a file with two names or a file of user ${uid}: PostgreSQL did not put it there. The database was not started and keeps its data. Look at the file and remove it, then try again.`,
  );
}
