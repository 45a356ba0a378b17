import { spawn } from 'node:child_process';
import path from 'node:path';
import { ReconError, messageOf } from '../../errors.js';
import { findServer, hasOrphans, rememberStarted, signalServer } from './find-server.js';
import type { Binaries } from './locate-binaries.js';
import {
  readPostmaster,
  recordedSocketDirectory,
  removeStalePostmasterFile,
  type Postmaster,
} from './postmaster-file.js';
import { processIdentity } from './process-identity.js';
import { serverEnvironment } from './run-program.js';
import { clusterAsSeenByServer, type ServerAccount } from './server-account.js';
import { openLog } from './server-log.js';
import { settingArguments } from './server-settings.js';
import { createSocketDirectory, removeSocketDirectory, removeStaleSockets } from './socket-directory.js';

export const serverPort = 5432;
/** Recovery after a crash replays at most `max_wal_size`, which takes seconds, not minutes. */
const startWithinMs = 60_000;
const stopWithinMs = 60_000;
const lookEveryMs = 10;

const pause = () => new Promise((resolve) => setTimeout(resolve, lookEveryMs));

/**
 * Starts the server, detached from us: it outlives our death and a Ctrl-C meant for us, and whoever comes next
 * attaches to it.
 *
 * @returns when it takes connections
 * @throws ReconError DATABASE_EMBEDDED with what the server's log says
 */
export async function startServer(
  cluster: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
  overrides: Readonly<Record<string, string>>,
): Promise<Postmaster> {
  await clearAfterCrash(cluster);
  try {
    return await launch(cluster, binaries, account, overrides, false);
  } catch (thrown) {
    if (!/could not (bind|create) .*Unix/.test(messageOf(thrown))) throw thrown;
    // Shared folders of virtual machines have no sockets.
    await clearAfterCrash(cluster);
    return launch(cluster, binaries, account, overrides, true);
  }
}

async function launch(
  cluster: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
  overrides: Readonly<Record<string, string>>,
  besideCluster: boolean,
): Promise<Postmaster> {
  const socketDirectory = createSocketDirectory(cluster, account, besideCluster);
  const { cwd, argument } = clusterAsSeenByServer(cluster, account);
  const log = openLog(logFile(cluster), account);
  const child = spawn(
    path.join(binaries.directory, 'bin/postgres'),
    ['-D', argument, '-p', `${serverPort}`, '-k', socketDirectory, ...settingArguments(argument, overrides)],
    {
      cwd,
      env: serverEnvironment,
      detached: true,
      stdio: ['ignore', log.descriptor, log.descriptor],
      ...account,
    },
  );
  const forget = child.pid === undefined ? () => undefined : rememberStarted(child.pid, cluster);
  let ended: string | undefined;
  child.on('error', (error) => (ended = messageOf(error)));
  child.on('exit', (code, signal) => {
    forget();
    ended ??= `it ended with ${signal ?? `exit code ${code ?? ''}`}`;
  });
  child.unref();
  try {
    const server = await waitUntilReady(cluster, () => ended);
    if (server.processId !== child.pid) throw new Error(`process ${server.processId} took its place`);
    return server;
  } catch (thrown) {
    if (ended !== undefined) removeSocketDirectory(cluster, socketDirectory);
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `The embedded database did not start: ${messageOf(thrown)}. ${log.written()}`,
    );
  } finally {
    log.close();
  }
}

/** What a server that was killed leaves behind; PostgreSQL recovers its data at the next start. */
async function clearAfterCrash(cluster: string): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  while (await hasOrphans(cluster)) {
    if (performance.now() > deadline) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `Processes of a database server that crashed are still at work on ${cluster}. End them (they are named postgres), then try again.`,
      );
    }
    await pause();
  }
  removeStaleSockets(cluster, recordedSocketDirectory(cluster));
  removeStalePostmasterFile(cluster);
}

/**
 * Waits until the server takes connections, also one that somebody else started.
 *
 * @throws Error in plain words when it ended or takes too long
 */
export async function waitUntilReady(cluster: string, ended: () => string | undefined): Promise<Postmaster> {
  const deadline = performance.now() + startWithinMs;
  for (;;) {
    const postmaster = readPostmaster(cluster);
    if (postmaster?.status === 'ready') return postmaster;
    const why = ended();
    if (why !== undefined) throw new Error(why);
    if (performance.now() > deadline) throw new Error('it is still starting (or recovering) after a minute');
    await pause();
  }
}

/**
 * Ends the server: sessions are closed, everything committed is on disk. A server that takes longer than a
 * minute is left to finish.
 *
 * @throws ReconError DATABASE_EMBEDDED when what runs there cannot be verified; it was not signalled then
 */
export async function stopServer(cluster: string): Promise<void> {
  const server = await findServer(cluster);
  if (server === undefined) return;
  signalServer(server);
  await waitUntilStopped(server);
  removeSocketDirectory(cluster, server.socketDirectory);
}

/** Waits until a server has ended. */
export async function waitUntilStopped({ processId, identity }: Postmaster): Promise<void> {
  const deadline = performance.now() + stopWithinMs;
  while (processIdentity(processId) === identity && performance.now() < deadline) await pause();
}

/** The server's log, beside the cluster. */
export function logFile(cluster: string): string {
  return `${cluster}.log`;
}
