import { existsSync, realpathSync } from 'node:fs';
import { access, constants, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { toDiskError } from '../../disk/disk-errors.js';
import { makeFolder } from '../../disk/private-files.js';
import { statIfThere } from '../../disk/unless-missing.js';
import { exitCodes, ReconError, messageOf } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { withClusterLock } from './cluster-lock.js';
import { closeToOthers, serverUser, writeAccessRules } from './access-rules.js';
import { causeOfLoss } from './cause-of-loss.js';
import { ensureCluster } from './create-cluster.js';
import { findServer } from './find-server.js';
import { keepLogShort } from './keep-log-short.js';
import { locateBinaries } from './locate-binaries.js';
import { readPostmaster, type Postmaster } from './postmaster-file.js';
import { isLastUser } from './last-user.js';
import { processIdentity } from './process-identity.js';
import type { ServerAccount } from './run-program.js';
import { chooseAccount } from './server-account.js';
import {
  logFile,
  serverPort,
  startServer,
  stopServer,
  waitUntilReady,
  waitUntilStopped,
} from './server-process.js';
import { requirePrivateSocketDirectory, socketPath } from './socket-directory.js';
import { keepRegistered, type Register, type KeptRegistration } from './keep-registered.js';
import { databaseName, registerUser } from './register-user.js';
import { takeOverCluster } from './take-over-cluster.js';

/** The running server, as this process uses it; it stops when the last process that uses it releases it. */
export interface EmbeddedServer {
  /** The URL of database `recon`, for psql and `openDatabase`; it contains no secret. */
  readonly url: string;
  /** The error to report instead of a connection that was lost just now, if the cause can be seen. */
  causeOfLoss(): ReconError | undefined;
  /**
   * @throws ReconError DISK_FULL, DISK_FAILED when the disk does not let it stop the server, which keeps running as
   *   after a crash: the next command uses it and stops it
   */
  release(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL of a data directory, or connects to a running one, which another process started or a
 * killed process left behind. Cluster and database are created on first use (about a second).
 *
 * The cluster is `<dataDirectory>/database`; its server listens on a Unix socket in a directory that only its user can
 * enter, and accepts root and that user (peer authentication). Several processes share it. Committed data survive the
 * death of any of them.
 *
 * @param overrides server settings over ours, for tests
 * @throws ReconError DISK_FAILED, DISK_FULL when the directory cannot be written, DATABASE_FULL when the server has no
 *   disk space, DATABASE_EMBEDDED otherwise
 */
export async function holdEmbeddedServer(
  dataDirectory: string,
  overrides: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<EmbeddedServer> {
  const directory = await writableDirectory(dataDirectory);
  const lock = path.join(directory, 'database.lock');
  try {
    const { cluster, host, account, registration } = await join(directory, lock, overrides, logger);
    const stopLooking = keepLogShort({ file: logFile(cluster), lock, account }, logger);
    return {
      url: `postgresql://${serverUser}@localhost/${databaseName}?host=${encodeURIComponent(host)}&port=${serverPort}`,
      causeOfLoss: () => causeOfLoss(cluster),
      release: async () => {
        stopLooking();
        const user = await registration.leave();
        try {
          const isLost = await withClusterLock(lock, () => release(cluster, user));
          if (isLost && readPostmaster(cluster) !== undefined) await releaseRestarted(cluster, lock);
        } catch (thrown) {
          await user.end({ timeout: 5 });
          throw toDiskError('stop the database', thrown) ?? thrown;
        }
      },
    };
  } catch (thrown) {
    if (thrown instanceof ReconError) throw thrown;
    throw failure(directory, thrown);
  }
}

/** A server that this process has reached. */
interface Reached {
  readonly cluster: string;
  readonly host: string;
  /** That of the server, where it is another one than that of this process. */
  readonly account: ServerAccount | undefined;
}

/** Registers this process as a user of the server, which is started if necessary. */
async function join(
  directory: string,
  lock: string,
  overrides: Readonly<Record<string, string>>,
  logger: Logger | undefined,
): Promise<Reached & { registration: KeptRegistration }> {
  let reached: Reached | undefined;
  let wasKilled = false;
  const register: Register = async (lost, { mayStart }) => {
    // Looked at often while no server runs.
    if (reached !== undefined && !(mayStart && wasKilled) && !hasPostmasterFile(reached.cluster))
      return undefined;
    return withClusterLock(lock, async () => {
      const { cluster, account } = await prepare(directory);
      const found = await attach(cluster);
      // A server that somebody stopped removes this file; only one that was killed is started again.
      wasKilled ||= found === undefined && hasPostmasterFile(cluster);
      if (found === undefined && reached !== undefined && !(mayStart && wasKilled)) return undefined;
      const server = found ?? (await start(directory, cluster, account, overrides));
      const host = socketPath(cluster, server.socketDirectory);
      const user = await registerUser({ server, host, cluster }, lost).catch(async (thrown: unknown) => {
        // This process holds the lock, so nobody else uses the server yet, and this command ends without it.
        if (found === undefined && reached === undefined) await stopServer(cluster).catch(() => undefined);
        throw thrown;
      });
      wasKilled = false;
      reached ??= { cluster, host, account };
      return user;
    });
  };
  const registration = await keepRegistered(register, logger);
  if (reached === undefined) throw new Error('the process was registered without a server');
  return { ...reached, registration };
}

function hasPostmasterFile(cluster: string): boolean {
  return existsSync(path.join(cluster, 'postmaster.pid'));
}

const clusterOf = (directory: string) => path.join(directory, 'database');

/** Whether the cluster of a data directory exists. If that cannot be seen, it counts as existing: opening says why. */
export async function isClusterThere(dataDirectory: string): Promise<boolean> {
  try {
    return (await statIfThere(clusterOf(dataDirectory))) !== undefined;
  } catch {
    return true;
  }
}

/** Determines the owner of the cluster before anything in it is trusted. */
async function prepare(directory: string): Promise<{ cluster: string; account: ServerAccount | undefined }> {
  const named = clusterOf(directory);
  const { account, takeOver } = chooseAccount(directory, named);
  const cluster = existsSync(named) ? realpathSync(named) : named;
  if (takeOver && account !== undefined) await takeOverCluster(cluster, account);
  if (existsSync(cluster)) await closeToOthers(cluster);
  return { cluster, account };
}

async function writableDirectory(dataDirectory: string): Promise<string> {
  try {
    await makeFolder(dataDirectory, { owner: 'account' });
    await access(dataDirectory, constants.W_OK | constants.X_OK);
    return await realpath(dataDirectory);
  } catch (thrown) {
    throw failure(dataDirectory, thrown);
  }
}

function failure(directory: string, thrown: unknown): ReconError {
  return (
    toDiskError(`use the database in ${directory}`, thrown) ??
    new ReconError('DATABASE_EMBEDDED', `The database in ${directory} cannot be used: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  );
}

/** The server that already runs on the cluster; undefined when none can be used. */
async function attach(cluster: string): Promise<Postmaster | undefined> {
  const found = await findServer(cluster);
  if (found === undefined) return undefined;
  const { identity } = found;
  const isGone = () => processIdentity(found.processId) !== identity;
  if (found.status === 'stopping') {
    await waitUntilStopped(found);
    return undefined;
  }
  try {
    const ready = await waitUntilReady(cluster, () => (isGone() ? 'it ended' : undefined));
    if (ready.identity !== identity) return undefined;
    requirePrivateSocketDirectory(cluster, ready.socketDirectory);
    return ready;
  } catch (thrown) {
    if (isGone()) return undefined;
    throw thrown;
  }
}

async function start(
  directory: string,
  cluster: string,
  account: ServerAccount | undefined,
  overrides: Readonly<Record<string, string>>,
): Promise<Postmaster> {
  const binaries = await locateBinaries(directory, account);
  await ensureCluster(cluster, binaries, account, overrides['fsync'] !== 'off');
  await writeAccessRules(cluster);
  return startServer({ cluster, binaries, account, overrides });
}

/**
 * Stops the server if no other process uses it. The caller holds the cluster's lock.
 *
 * @returns whether the session was lost, so that it is unknown who uses the server, if it runs
 */
async function release(cluster: string, user: postgres.Sql): Promise<boolean> {
  const last = await isLastUser(user);
  await user.end({ timeout: 5 });
  if (last === true) await stopServer(cluster);
  return last === undefined;
}

/** A process that stays up looks for the server a tenth of a second after it lost it (`keep-registered.ts`). */
const othersReturnWithinMs = 2_000;

/**
 * When one of its sessions is killed, a server restarts itself and ends all of them. Without this, the server of a
 * command that lost its session and ended would run until the next command.
 */
async function releaseRestarted(cluster: string, lock: string): Promise<void> {
  await sleep(othersReturnWithinMs);
  await withClusterLock(lock, async () => {
    const server = await attach(cluster);
    if (server === undefined) return;
    const reached = { server, host: socketPath(cluster, server.socketDirectory), cluster };
    await release(cluster, await registerUser(reached, () => undefined));
  }).catch((thrown: unknown) => {
    // It cannot be used either; the command has already failed, and the next one says why.
    if (!(thrown instanceof ReconError) || thrown.exitCode !== exitCodes.database) throw thrown;
  });
}
