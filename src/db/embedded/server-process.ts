import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { ReconError, messageOf } from '../../errors.js';
import type { Binaries } from './locate-binaries.js';
import { hasOrphans, readPostmaster, removeStalePostmasterFile, type Postmaster } from './postmaster-file.js';
import { serverEnvironment } from './run-program.js';
import { clusterAsSeenByServer, type ServerAccount } from './server-account.js';
import { settingArguments } from './server-settings.js';
import { createSocketDirectory, removeSocketDirectory } from './socket-directory.js';

export const serverPort = 5432;
/** Recovery after a crash replays at most `max_wal_size`, which takes seconds, not minutes. */
const startWithinMs = 60_000;
const stopWithinMs = 60_000;
const lookEveryMs = 10;
const longestLog = 8 * 1024 * 1024;

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
  const socketDirectory = createSocketDirectory(cluster, account);
  const log = logFile(cluster);
  const { cwd, argument } = clusterAsSeenByServer(cluster, account);
  const output = openLog(log);
  const child = spawn(
    path.join(binaries.directory, 'bin/postgres'),
    ['-D', argument, '-p', `${serverPort}`, '-k', socketDirectory, ...settingArguments(overrides)],
    {
      cwd,
      env: serverEnvironment,
      detached: true,
      stdio: ['ignore', output.descriptor, output.descriptor],
      ...account,
    },
  );
  closeSync(output.descriptor);
  let ended: string | undefined;
  child.on('error', (error) => (ended = messageOf(error)));
  child.on('exit', (code, signal) => (ended ??= `it ended with ${signal ?? `exit code ${code ?? ''}`}`));
  child.unref();
  try {
    return await waitUntilReady(cluster, () => ended);
  } catch (thrown) {
    if (ended !== undefined) removeSocketDirectory(socketDirectory);
    const said = readFileSync(log, 'utf8').slice(output.size).trim().split('\n').slice(-3).join(' ');
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `The embedded database did not start: ${messageOf(thrown)}. ${said}`,
    );
  }
}

/** What a server that did not end in order leaves behind; its data recover by themselves. */
async function clearAfterCrash(cluster: string): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  while (hasOrphans(cluster)) {
    if (performance.now() > deadline) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `Processes of a database server that crashed are still at work on ${cluster}. End them (they are named postgres), then try again.`,
      );
    }
    await pause();
  }
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
 * minute is left to finish by itself.
 */
export async function stopServer(cluster: string): Promise<void> {
  const postmaster = readPostmaster(cluster);
  if (postmaster === undefined) return;
  try {
    process.kill(postmaster.processId, 'SIGINT');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
  await waitUntilStopped(cluster);
  removeSocketDirectory(postmaster.socketDirectory);
}

/** Waits until no server runs on the cluster. */
export async function waitUntilStopped(cluster: string): Promise<void> {
  const deadline = performance.now() + stopWithinMs;
  while (readPostmaster(cluster) !== undefined && performance.now() < deadline) await pause();
}

/** The server's log, beside the cluster. */
export function logFile(cluster: string): string {
  return `${cluster}.log`;
}

function openLog(file: string): { descriptor: number; size: number } {
  if (existsSync(file) && statSync(file).size > longestLog) renameSync(file, `${file}.1`);
  const descriptor = openSync(file, 'a', 0o600);
  return { descriptor, size: statSync(file).size };
}
