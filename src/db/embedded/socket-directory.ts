import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import type { ServerAccount } from './server-account.js';

/** The address of a Unix socket has room for 107 bytes (103 on macOS), `/.s.PGSQL.5432` included. */
const longestDirectory = 103 - '/.s.PGSQL.5432'.length;

/** The name of the socket directories of one cluster: short whatever the path of the data directory. */
function baseName(cluster: string): string {
  return `recon-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
}

/** Whether a directory is one that `createSocketDirectory` makes for this cluster. */
export function isSocketDirectoryOf(cluster: string, directory: string): boolean {
  return path.basename(directory).startsWith(baseName(cluster));
}

/**
 * An empty directory for the server's socket that only its user can enter; call it only while no server runs. Names below a shared temporary directory
 * can be taken by anybody beforehand, so one that is there must be a directory of the right owner and closed
 * to others; else the next name is tried.
 *
 * @throws ReconError DATABASE_EMBEDDED when no name is free
 */
export function createSocketDirectory(cluster: string, account: ServerAccount | undefined): string {
  const parents = [tmpdir(), '/tmp'].filter(
    (parent) => parent.length + 1 + baseName(cluster).length + 2 <= longestDirectory,
  );
  for (const parent of parents) {
    for (const suffix of ['', '-1', '-2', '-3']) {
      const directory = path.join(parent, baseName(cluster) + suffix);
      if (!isOurs(directory, account)) continue;
      // A server that crashed leaves its socket and a lock, which would keep the next one from starting.
      for (const name of readdirSync(directory)) rmSync(path.join(directory, name), { force: true });
      return directory;
    }
  }
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `No directory for the database's socket could be made below ${parents[0] ?? tmpdir()}: every name is taken by another user, or it may not be written.`,
  );
}

function isOurs(directory: string, account: ServerAccount | undefined): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    if (account !== undefined) chownSync(directory, account.uid, account.gid);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  const found = lstatSync(directory, { throwIfNoEntry: false });
  const owner = account?.uid ?? process.getuid?.();
  return found?.isDirectory() === true && found.uid === owner && (found.mode & 0o077) === 0;
}

/** Removes it when it is empty; what is not ours to remove stays. */
export function removeSocketDirectory(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Not empty or already gone: the next start uses it or makes it anew.
  }
}
