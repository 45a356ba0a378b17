import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReconError, messageOf } from '../../errors.js';
import { embeddedError } from './embedded-error.js';
import { findServer, hasOrphans, rememberStarted, signalServer } from './find-server.js';
import type { Binaries } from './locate-binaries.js';
import {
  readPostmaster,
  recordedSocketDirectory,
  removeStalePostmasterFile,
  type Postmaster,
} from './postmaster-file.js';
import { processIdentity } from './process-identity.js';
import { serverEnvironment, type ServerAccount } from './run-program.js';
import { clusterAsSeenByServer } from './server-account.js';
import { openLog } from './server-log.js';
import { settingArguments } from './server-settings.js';
import {
  createSocketDirectory,
  removeSocketDirectory,
  removeStaleSockets,
  type SocketPlace,
} from './socket-directory.js';

/** Part of the name of its socket; the server listens on no network. */
export const serverPort = 5432;
/** Recovery after a crash replays at most `max_wal_size`, which takes seconds, not minutes. */
const startWithinMs = 60_000;
const stopWithinMs = 60_000;
const lookEveryMs = 10;

const pause = () => sleep(lookEveryMs);

/** What is started: which program, on which data, as which user. */
export interface ServerStart {
  /** The data directory; an absolute path. */
  readonly cluster: string;
  readonly binaries: Binaries;
  /** The user and group of the server; undefined for those of this process. */
  readonly account: ServerAccount | undefined;
  /** Settings of PostgreSQL that replace those of `settingArguments`. */
  readonly overrides: Readonly<Record<string, string>>;
}

/**
 * Starts the server as a detached process: it survives the death of this process and a Ctrl-C, and the next command
 * connects to it.
 *
 * @returns when it accepts connections
 * @throws ReconError DATABASE_EMBEDDED, or DATABASE_FULL for lack of disk space, with the last lines of the server's
 *   log
 */
export async function startServer(start: ServerStart): Promise<Postmaster> {
  await clearAfterCrash(start.cluster);
  try {
    return await launch(start, 'in cluster');
  } catch (thrown) {
    if (!/could not (bind|create) .*Unix/.test(messageOf(thrown))) throw thrown;
    // Shared folders of virtual machines do not support sockets.
    await clearAfterCrash(start.cluster);
    return launch(start, 'beside cluster');
  }
}

async function launch(
  { cluster, binaries, account, overrides }: ServerStart,
  socketPlace: SocketPlace,
): Promise<Postmaster> {
  const socketDirectory = createSocketDirectory(cluster, account, socketPlace);
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
    const said = log
      .written()
      .replaceAll(argument, cluster)
      .replace(/[.\s]+$/, '');
    throw embeddedError(
      `The embedded database did not start: ${messageOf(thrown)}. ${said}. Its log is ${logFile(cluster)}.`,
    );
  } finally {
    log.close();
  }
}

/** The files of a server that was killed; PostgreSQL recovers its data at the next start. */
async function clearAfterCrash(cluster: string): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  while (await hasOrphans(cluster)) {
    if (performance.now() > deadline) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `Processes of a crashed database server still use ${cluster}. Stop them (they are named postgres), then try again.`,
      );
    }
    await pause();
  }
  removeStaleSockets(cluster, recordedSocketDirectory(cluster));
  removeStalePostmasterFile(cluster);
}

/**
 * Waits until the server accepts connections, even if another process started it.
 *
 * @throws Error with a readable message when it ended or takes too long
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
 * Stops the server: sessions are closed, and everything committed is on disk. A server that takes longer than a minute
 * is left to finish.
 *
 * @throws ReconError DATABASE_EMBEDDED when the running server cannot be verified; then no signal is sent
 */
export async function stopServer(cluster: string): Promise<void> {
  const server = await findServer(cluster);
  if (server === undefined) return;
  signalServer(server);
  await waitUntilStopped(server);
  removeSocketDirectory(cluster, server.socketDirectory);
}

/** Returns when the process of the server has ended, or after a minute if it has not. */
export async function waitUntilStopped({ processId, identity }: Postmaster): Promise<void> {
  const deadline = performance.now() + stopWithinMs;
  while (processIdentity(processId) === identity && performance.now() < deadline) await pause();
}

/** The server's log, next to the cluster. */
export function logFile(cluster: string): string {
  return `${cluster}.log`;
}
