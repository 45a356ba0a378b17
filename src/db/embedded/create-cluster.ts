import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../../disk/durable.js';
import { ReconError } from '../../errors.js';
import { nameless, serverUser } from './access-rules.js';
import { embeddedError } from './embedded-error.js';
import { changeClusterOwner } from './change-cluster-owner.js';
import type { Binaries } from './locate-binaries.js';
import { runProgram, type ServerAccount } from './run-program.js';
import { clusterAsSeenByServer } from './server-account.js';
import { accountOf, localAccounts, nobody, userIdsOfProcesses } from './system-accounts.js';

/**
 * Creates the cluster if it does not exist. It is created under a temporary name, synced and renamed, so a process that
 * dies meanwhile leaves nothing that looks like a cluster; its leftovers are removed here.
 *
 * Call this while holding the cluster's lock.
 *
 * @throws ReconError DATABASE_FULL when initdb has no disk space; DATABASE_EMBEDDED when it fails otherwise, or another
 *   major version created the cluster
 */
export async function ensureCluster(
  cluster: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<void> {
  if (existsSync(cluster)) {
    requireSameVersion(cluster, binaries);
    return;
  }
  const parent = path.dirname(cluster);
  const prefix = `${path.basename(cluster)}.new-`;
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(path.join(parent, name), whileWritten);
  }
  const draft = path.join(parent, `${prefix}${process.pid}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    await initialise(draft, binaries, account, durable);
    await rename(draft, cluster);
  } catch (thrown) {
    await rm(draft, whileWritten);
    throw thrown;
  }
  await syncDirectory(parent);
}

/**
 * The initdb of a command that was killed goes on for a moment, and fails as soon as a folder of it is gone. Until
 * then a folder that was just emptied may hold a file again: the removal is tried for ten seconds (0.05 s, 0.1 s …).
 */
const whileWritten = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 } as const;

async function initialise(
  draft: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<void> {
  if (account === undefined) {
    if (accountOf(process.getuid?.() ?? 0) === undefined) throw nameless(process.getuid?.() ?? 0);
    await runInitdb(draft, binaries, undefined, durable);
    return;
  }
  const maker = accountOf(account.uid) === undefined ? idleAccount() : account;
  chownSync(draft, maker.uid, maker.gid);
  await runInitdb(draft, binaries, maker, durable);
  if (maker === account) return;
  if (userIdsOfProcesses().has(maker.uid)) throw notIdle(`a process of user ${maker.uid} started meanwhile`);
  changeClusterOwner(draft, [maker.uid], account);
}

/**
 * The server's user id needs no name, but initdb requires one (it looks itself up in /etc/passwd). It takes a second,
 * during which it runs as a system account without processes, so that no other process can interfere.
 */
function idleAccount(): ServerAccount {
  const busy = userIdsOfProcesses();
  const isSystem = (uid: number) => (uid > 0 && uid < 1000) || uid === nobody;
  const idle = localAccounts().findLast(({ uid }) => isSystem(uid) && uid !== nobody && !busy.has(uid));
  const last = localAccounts().find(({ uid }) => uid === nobody && !busy.has(uid));
  const chosen = idle ?? last;
  if (chosen === undefined) throw notIdle('each system account in /etc/passwd has processes');
  return { uid: chosen.uid, gid: chosen.gid };
}

function notIdle(why: string): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `The embedded database was not created: this needs a system account without processes for a second, and ${why}. Try again; or give the data directory to a separate account (useradd --system recon, chown recon), or set RECON_DATABASE_URL.`,
  );
}

async function runInitdb(
  directory: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<void> {
  const { cwd, argument } = clusterAsSeenByServer(directory, account);
  const end = await runProgram(
    path.join(binaries.directory, 'bin/initdb'),
    [
      ...['-D', argument, '-U', serverUser, '--auth', 'peer', '--encoding', 'UTF8', '--no-instructions'],
      // The same text order on every system, whatever locales are installed.
      ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ],
    { account, cwd },
  );
  if (end.code === 0) return;
  const complaint = end.output.split('\n').filter((line) => /error|fatal|detail|hint/i.test(line));
  throw embeddedError(
    `The embedded database could not be created in ${directory}: ${complaint.join(' ').trim() || end.output.trim()}`,
  );
}

function requireSameVersion(cluster: string, binaries: Binaries): void {
  const made = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  const ours = binaries.version.split('.')[0] ?? '';
  if (made === ours) return;
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `The database in ${cluster} was created by PostgreSQL ${made}, but this version of recon contains PostgreSQL ${ours}. Install the former version of recon again, and copy the database to a server with recon move --to URL. There, this version can use it after recon migrate; to have it here again, move this folder away, then run recon move --to embedded.`,
  );
}
