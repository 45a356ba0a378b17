import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../../disk/durable.js';
import { ReconError } from '../../errors.js';
import type { Binaries } from './locate-binaries.js';
import { runProgram } from './run-program.js';
import { clusterAsSeenByServer, type ServerAccount } from './server-account.js';

/** The superuser of the cluster; only who can enter the socket's directory can be it. */
export const serverUser = 'recon';

/**
 * Makes the cluster unless it is there. It is made beside its place, synced and renamed, so a process that
 * dies meanwhile leaves nothing that looks like a cluster; what it left is removed here.
 *
 * Call it under the cluster's lock.
 *
 * @throws ReconError DATABASE_EMBEDDED when initdb fails, or another major version made the cluster
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
    if (name.startsWith(prefix)) await rm(path.join(parent, name), { recursive: true, force: true });
  }
  const draft = path.join(parent, `${prefix}${process.pid}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    if (account !== undefined) chownSync(draft, account.uid, account.gid);
    await initialise(draft, binaries, account, durable);
    await rename(draft, cluster);
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true });
    throw thrown;
  }
  await syncDirectory(parent);
}

async function initialise(
  directory: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<void> {
  const { cwd, argument } = clusterAsSeenByServer(directory, account);
  const end = await runProgram(
    path.join(binaries.directory, 'bin/initdb'),
    [
      ...['-D', argument, '-U', serverUser, '--auth', 'trust', '--encoding', 'UTF8', '--no-instructions'],
      // The same order of texts on every system, whatever locales it has.
      ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ],
    { account, cwd },
  );
  if (end.code === 0) return;
  if (/could not look up effective user ID/.test(end.output)) {
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `The embedded database cannot be created by user id ${process.getuid?.() ?? ''}, which has no name on this system (no entry in /etc/passwd). Run recon as a named user, or set RECON_DATABASE_URL to use a server of your own.`,
    );
  }
  const complaint = end.output.split('\n').filter((line) => /error|fatal|detail/i.test(line));
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `The embedded database could not be created in ${directory}: ${complaint.join(' ').trim() || end.output.trim()}`,
  );
}

function requireSameVersion(cluster: string, binaries: Binaries): void {
  const made = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  const ours = binaries.version.split('.')[0] ?? '';
  if (made === ours) return;
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `The database in ${cluster} was made by PostgreSQL ${made}, and this version of recon brings PostgreSQL ${ours}. Dump it with the former version and load it with this one.`,
  );
}
