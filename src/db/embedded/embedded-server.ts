import { existsSync, realpathSync } from 'node:fs';
import { access, constants, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { toDiskError } from '../../disk/disk-errors.js';
import { makeFolder } from '../../disk/private-files.js';
import { ReconError, messageOf } from '../../errors.js';
import { withClusterLock } from './cluster-lock.js';
import { closeToOthers, serverUser, writeAccessRules } from './access-rules.js';
import { ensureCluster } from './create-cluster.js';
import { embeddedError } from './embedded-error.js';
import { findServer } from './find-server.js';
import { locateBinaries } from './locate-binaries.js';
import type { Postmaster } from './postmaster-file.js';
import { processIdentity } from './process-identity.js';
import { chooseAccount, type ServerAccount } from './server-account.js';
import { serverPort, startServer, stopServer, waitUntilReady, waitUntilStopped } from './server-process.js';
import { requirePrivateSocketDirectory, socketPath } from './socket-directory.js';
import { spaceFailure } from './space-failure.js';
import { takeOverCluster } from './take-over-cluster.js';

/** A share in the running server; the server stops when the last process releases its share. */
export interface EmbeddedServer {
  /** The URL of database `recon`, for psql and `openDatabase`; it contains no secret. */
  readonly url: string;
  /** The error to report instead of a connection that was lost just now, if the disk is full. */
  fullDisk(): ReconError | undefined;
  /**
   * @throws ReconError DISK_FULL, DISK_FAILED when the disk does not let it stop the server, which keeps running as
   *   after a crash: the next command uses it and stops it
   */
  release(): Promise<void>;
}

const databaseName = 'recon';
/** Prefix of the name of a session that holds a share; the process id follows. */
const userSession = 'recon user ';
/** Every user of the server holds this lock in shared mode; a process that gets it exclusively is the last user. */
const usersLock = '7236501190';

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
): Promise<EmbeddedServer> {
  const directory = await writableDirectory(dataDirectory);
  const lock = path.join(directory, 'database.lock');
  try {
    return await withClusterLock(lock, async () => {
      const { cluster, account } = await prepare(directory);
      const server = (await attach(cluster)) ?? (await start(directory, cluster, account, overrides));
      const host = socketPath(cluster, server.socketDirectory);
      const user = await registerUser(server, host, cluster);
      return {
        url: `postgresql://${serverUser}@localhost/${databaseName}?host=${encodeURIComponent(host)}&port=${serverPort}`,
        fullDisk: () => fullDisk(cluster),
        release: async () => {
          try {
            await withClusterLock(lock, () => release(cluster, user));
          } catch (thrown) {
            await user.end({ timeout: 5 });
            throw toDiskError('stop the database', thrown) ?? thrown;
          }
        },
      };
    });
  } catch (thrown) {
    if (thrown instanceof ReconError) throw thrown;
    throw failure(directory, thrown);
  }
}

/** Determines the owner of the cluster before anything in it is trusted. */
async function prepare(directory: string): Promise<{ cluster: string; account: ServerAccount | undefined }> {
  const named = path.join(directory, 'database');
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
  return startServer(cluster, binaries, account, overrides);
}

/** What was committed is in the log of changes on the disk, and is there again after the next start. */
function fullDisk(cluster: string): ReconError | undefined {
  const why = spaceFailure(cluster, Date.now());
  return why === undefined
    ? undefined
    : new ReconError(
        'DATABASE_FULL',
        `The disk of the embedded database ${cluster} is full: ${why}. What was committed is kept, everything else is undone. Free space there, then run again.`,
      );
}

/** A session that marks the server as used as long as this process lives. */
async function registerUser({ processId }: Postmaster, host: string, cluster: string): Promise<postgres.Sql> {
  const user = postgres({
    host,
    port: serverPort,
    database: 'postgres',
    username: serverUser,
    password: '',
    ssl: false,
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 30,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: `${userSession}${process.pid}` },
  });
  try {
    await whenRecovered(() => user`select pg_advisory_lock_shared(${usersLock}::bigint)`);
    const [found] = await user`select 1 from pg_database where datname = ${databaseName}`;
    if (found === undefined) await user.unsafe(`create database ${databaseName}`);
    return user;
  } catch (thrown) {
    await user.end({ timeout: 0 });
    throw (
      fullDisk(cluster) ??
      embeddedError(
        `The embedded database runs (process ${processId}) but cannot be used through ${host}: ${messageOf(thrown)}`,
      )
    );
  }
}

const recoversWithinMs = 60_000;
const isRecovering = '57P03';

/**
 * When one of its sessions is killed, as by the kernel for lack of memory, a server restarts itself and refuses
 * meanwhile.
 */
async function whenRecovered<T>(connect: () => PromiseLike<T>): Promise<T> {
  const deadline = performance.now() + recoversWithinMs;
  for (;;) {
    try {
      return await connect();
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== isRecovering || performance.now() > deadline) throw thrown;
      await sleep(betweenLooksMs);
    }
  }
}

/**
 * Stops the server if no other process uses it. The caller holds the cluster's lock, so no new user can appear
 * meanwhile.
 */
async function release(cluster: string, user: postgres.Sql): Promise<void> {
  const last = await isLastUser(user);
  await user.end({ timeout: 5 });
  if (last) await stopServer(cluster);
}

/** The session of a killed process exists until the server notices that its socket is closed. */
const noticeWithinMs = 10_000;
const betweenLooksMs = 50;

async function isLastUser(user: postgres.Sql): Promise<boolean> {
  try {
    await user`select pg_advisory_unlock_shared(${usersLock}::bigint)`;
    const deadline = performance.now() + noticeWithinMs;
    while (performance.now() < deadline) {
      const [answer] = await user<
        { last: boolean }[]
      >`select pg_try_advisory_lock(${usersLock}::bigint) as last`;
      if (answer?.last === true) return true;
      if (await hasLivingUsers(user)) return false;
      await sleep(betweenLooksMs);
    }
    return false;
  } catch {
    // The server has stopped or is stopping: nothing to do.
    return false;
  }
}

/**
 * Whether a living process holds a share. If a process id was reused meanwhile, its old process counts as living: then
 * the server keeps running for the next user, which does no harm.
 */
async function hasLivingUsers(user: postgres.Sql): Promise<boolean> {
  const others = await user<{ name: string }[]>`select application_name as name from pg_stat_activity
    where pid <> pg_backend_pid() and starts_with(application_name, ${userSession})`;
  return others.some(({ name }) => processIdentity(Number(name.slice(userSession.length))) !== undefined);
}
