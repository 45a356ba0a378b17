import { existsSync, statSync } from 'node:fs';
import { systemCodeOf } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { isPackagedServer } from './locate-binaries.js';
import { makersOfSharedMemory, readPostmaster, type Postmaster } from './postmaster-file.js';
import { fileId, filesOf } from './process-files.js';
import { processIdentity, startOf } from './process-identity.js';
import type { ServerAccount } from './run-program.js';

/** Servers that this process started and that have not ended; their identity is certain. */
const started = new Map<number, { readonly identity: string | undefined; readonly cluster: string }>();

/** Records a server that this process started, until it ends. */
export function rememberStarted(processId: number, cluster: string): () => void {
  started.set(processId, { identity: processIdentity(processId), cluster });
  return () => started.delete(processId);
}

/**
 * The server that runs on a cluster. `postmaster.pid` is only a hint. The kernel must confirm that the process runs as
 * the owner of the cluster, executes a packaged PostgreSQL, and works in this folder, and that it was the same process
 * throughout the check.
 *
 * @returns undefined when none runs, even if a crash left files behind
 * @throws ReconError DATABASE_EMBEDDED when a server runs that cannot be verified, or when this folder is a copy and
 *   the server runs on the original
 */
export async function findServer(cluster: string): Promise<Postmaster | undefined> {
  if (!existsSync(cluster)) return undefined;
  const hint = readPostmaster(cluster);
  if (hint === undefined) {
    await refuseForeignCopy(cluster);
    return undefined;
  }
  const ours = started.get(hint.processId);
  if (ours?.identity === hint.identity && ours.cluster === cluster) return hint;
  if (process.platform !== 'linux') throw unverified(cluster, hint, 'this system has no /proc to look at');
  const files = await filesOf(hint.processId, ownerToBe(cluster));
  if (processIdentity(hint.processId) !== hint.identity) return undefined;
  if (files === undefined) {
    throw unverified(
      cluster,
      hint,
      'recon may not read its program and folder (in a container, this needs the capability SYS_PTRACE)',
    );
  }
  const packaged = await isPackagedServer(files);
  if (files.workingDirectoryId !== fileId(cluster)) {
    // Another program, or another server of this user, that has the reused process id of an ended server.
    if (!packaged || !isStartOf(hint)) return undefined;
    throw copied(cluster, hint);
  }
  if (packaged) return hint;
  // For example a shell of this user that was started in the folder and got the process id of an ended server.
  if (!/\/postgres( \(deleted\))?$/.test(files.executable)) return undefined;
  throw unverified(cluster, hint, `its program is ${files.executable}, which is not the PostgreSQL of recon`);
}

/** A copy made by root belongs to root, while the server of the original belongs to another account. */
async function refuseForeignCopy(cluster: string): Promise<void> {
  const hint = readPostmaster(cluster, 'of any user');
  if (hint === undefined || process.platform !== 'linux' || !isStartOf(hint)) return;
  const files = await filesOf(hint.processId, undefined);
  if (files !== undefined && (await isPackagedServer(files))) throw copied(cluster, hint);
}

function copied(cluster: string, { processId }: Postmaster): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `${cluster} is a copy of a database that was in use: its server (process ${processId}) runs elsewhere. Such a copy is incomplete. Remove it, and copy the folder again while no server runs on it.`,
  );
}

/**
 * Whether processes of a crashed server still use the cluster.
 *
 * @throws ReconError DATABASE_EMBEDDED when a complete server uses it that `postmaster.pid` does not name
 */
export async function hasOrphans(cluster: string): Promise<boolean> {
  let orphans = false;
  for (const processId of makersOfSharedMemory(cluster)) {
    if (processIdentity(processId) === undefined) {
      orphans = true;
      continue;
    }
    const files = await filesOf(processId, ownerToBe(cluster));
    // Servers of one user on two disks can have the same key.
    if (files?.workingDirectoryId !== fileId(cluster)) continue;
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `A database server (process ${processId}) runs on ${cluster}, but postmaster.pid in it does not name that process. Nothing was started or stopped. Stop the server (kill -INT ${processId}), then try again.`,
    );
  }
  return orphans;
}

/** Only root can look at it as another user. */
function ownerToBe(cluster: string): ServerAccount | undefined {
  const { uid, gid } = statSync(cluster);
  return process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined;
}

/**
 * Whether the process started at the time in the file; otherwise the file belongs to an earlier process with the same
 * id.
 */
function isStartOf(hint: Postmaster): boolean {
  const startedAt = startOf(hint.processId);
  return startedAt === undefined || Math.abs(startedAt - hint.startedAt) < 5_000;
}

function unverified(cluster: string, { processId }: Postmaster, why: string): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `Process ${processId} seems to be a database server on ${cluster}, but recon cannot verify it: ${why}. It was neither used nor stopped. Wait until the command that started it has ended; or check it (ps -fp ${processId}), stop it (kill -INT ${processId}) and try again.`,
  );
}

/** Stops a server that was found. Just before, checks again that it is still the same process. */
export function signalServer(server: Postmaster): void {
  if (processIdentity(server.processId) !== server.identity) return;
  try {
    process.kill(server.processId, 'SIGINT');
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'ESRCH') throw thrown;
  }
}
