import { chmodSync, chownSync, lstatSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import type { ServerAccount } from './run-program.js';

const socketName = '.s.PGSQL.5432';

/** The address of a Unix socket has room for 107 bytes (103 on macOS), `/.s.PGSQL.5432` included. */
const longestBytes = 103 - `/${socketName}`.length;

/** The name of the cluster for the server and in `postmaster.pid`. */
const insideCluster = '.';

/** Characters that the driver splits at (commas, colons) or that an address would have to escape. */
const plainPath = /^[\w./+-]+$/;

/** Where the socket is wanted. In the cluster, only if its path can be the address of a socket. */
export type SocketPlace = 'in cluster' | 'beside cluster';

/** How clients reach the socket directory that the server was given or recorded. */
export function socketPath(cluster: string, directory: string): string {
  return directory === insideCluster ? cluster : directory;
}

/**
 * The directory for the server's socket: the cluster, which only its account can enter. If the path of the cluster is
 * too long for an address, or the disk does not support sockets, a new directory with a random name is created, so that
 * nobody can occupy the name in advance. `postmaster.pid` records it.
 *
 * @param place `beside cluster` if the disk of the cluster does not support sockets
 * @throws ReconError DATABASE_EMBEDDED when no directory can be made
 */
export function createSocketDirectory(
  cluster: string,
  account: ServerAccount | undefined,
  place: SocketPlace,
): string {
  if (place === 'in cluster' && fits(cluster) && plainPath.test(cluster)) return insideCluster;
  const ownId = process.getuid?.() ?? 0;
  const parents = [ownId === 0 ? '/run' : `/run/user/${ownId}`, tmpdir(), '/tmp'];
  for (const parent of parents) {
    if (!isSafeParent(parent, ownId) || !fits(path.join(parent, 'recon-123456'))) continue;
    try {
      const directory = mkdtempSync(path.join(parent, 'recon-'));
      chmodSync(directory, 0o700);
      if (account !== undefined) chownSync(directory, account.uid, account.gid);
      return directory;
    } catch {
      // It may not be written, or is full: the next one.
    }
  }
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `No directory for the socket of the database could be created: the path ${cluster} is longer than ${longestBytes} bytes or its disk does not support sockets, and none of ${parents.join(', ')} can be used. Choose a shorter path for the data directory.`,
  );
}

function fits(directory: string): boolean {
  return Buffer.byteLength(directory) <= longestBytes;
}

/** In a directory that others can write to, the sticky bit must protect names; otherwise they could be replaced. */
function isSafeParent(parent: string, ownId: number): boolean {
  const found = statSync(parent, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || ![0, ownId].includes(found.uid)) return false;
  return (found.mode & 0o022) === 0 || (found.mode & 0o1000) !== 0;
}

/**
 * Checks before a connection that only the account of the server can have created the socket directory and can enter
 * it.
 *
 * @throws ReconError DATABASE_EMBEDDED when it is a link, belongs to another user or is open to others
 */
export function requirePrivateSocketDirectory(cluster: string, directory: string): void {
  const place = socketPath(cluster, directory);
  const owner = statSync(cluster).uid;
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found?.isDirectory() === true && found.uid === owner && (found.mode & 0o077) === 0) return;
  const wrong =
    found === undefined
      ? 'does not exist'
      : !found.isDirectory()
        ? 'is a link or not a folder'
        : found.uid !== owner
          ? `belongs to user ${found.uid}, but the database belongs to user ${owner}`
          : 'can be entered by others';
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `The folder ${place}, which the server of ${cluster} names for its socket, ${wrong}. Nothing was sent to it. Find the server with: ps -ef | grep postgres. Stop it (kill -INT and its process id), then try again.`,
  );
}

/** A crashed server leaves its socket and a lock, which would prevent the next one from starting. */
export function removeStaleSockets(cluster: string, recorded: string): void {
  removeSockets(cluster);
  if (recorded !== insideCluster && recorded !== '') removeSocketDirectory(cluster, recorded);
}

/** Removes a directory that was created for the socket; other directories stay. */
export function removeSocketDirectory(cluster: string, directory: string): void {
  if (directory === insideCluster || !/^recon-\w+(-\d)?$/.test(path.basename(directory))) return;
  try {
    requirePrivateSocketDirectory(cluster, directory);
    removeSockets(directory);
    rmdirSync(directory);
  } catch {
    // Somebody else's, not empty or already gone.
  }
}

function removeSockets(directory: string): void {
  for (const name of [socketName, `${socketName}.lock`]) rmSync(path.join(directory, name), { force: true });
}
