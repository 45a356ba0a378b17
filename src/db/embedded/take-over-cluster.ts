import { readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDenied } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { findServer } from './find-server.js';
import { changeClusterOwner } from './change-cluster-owner.js';
import { allProcesses, userIdsOf } from './process-identity.js';
import type { ServerAccount } from './run-program.js';
import { stopServer } from './server-process.js';
import { nobody } from './system-accounts.js';

/** The children of a server end with it, after their current work. */
const leaveWithinMs = 10_000;
const betweenLooksMs = 50;

/**
 * Gives a cluster to a separate account if an earlier version created it for the shared account `nobody`, or if root
 * restored it from a copy. A server that runs on it is stopped first, because any process of `nobody` could control it.
 *
 * Call this as root, while holding the cluster's lock.
 *
 * @throws ReconError DATABASE_EMBEDDED when a process still uses it, or it contains foreign files
 */
export async function takeOverCluster(cluster: string, account: ServerAccount): Promise<void> {
  const formerOwner = statSync(cluster).uid;
  if ((await findServer(cluster)) !== undefined) await stopServer(cluster);
  await waitUntilUnused(cluster, formerOwner);
  changeClusterOwner(
    cluster,
    [formerOwner, nobody],
    account,
    formerOwner === nobody ? resetSettings : undefined,
  );
}

/**
 * The former owner could have written settings that load a library. All settings that recon needs are on the command
 * line.
 */
function resetSettings(folder: string): void {
  for (const name of ['postgresql.conf', 'postgresql.auto.conf']) {
    rmSync(path.join(folder, name), { force: true });
    writeFileSync(path.join(folder, name), '', { flag: 'wx', mode: 0o600 });
  }
}

async function waitUntilUnused(cluster: string, formerOwner: number): Promise<void> {
  const deadline = performance.now() + leaveWithinMs;
  for (;;) {
    const user = allProcesses().find((processId) => uses(processId, cluster, formerOwner));
    if (user === undefined) return;
    if (performance.now() > deadline) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `Process ${user} works in ${cluster}, or has a file of it open, and is not a database server that recon knows. The database was not given to its own account and not started. Stop the process (ps -fp ${user}), then try again.`,
      );
    }
    await sleep(betweenLooksMs);
  }
}

/** A process that has a file or the folder open keeps it open when the owner changes. */
function uses(processId: number, cluster: string, formerOwner: number): boolean {
  if (processId === process.pid) return false;
  const folder = `/proc/${processId}`;
  const inside = (file: string) => file === cluster || file.startsWith(`${cluster}/`);
  try {
    return (
      inside(readlinkSync(`${folder}/cwd`)) ||
      readdirSync(`${folder}/fd`).some((name) => inside(readLink(`${folder}/fd/${name}`)))
    );
  } catch (thrown) {
    // A container without SYS_PTRACE: a process of the same account that cannot be inspected may be a user.
    return isDenied(thrown) && formerOwner !== 0 && userIdsOf(processId)?.includes(formerOwner) === true;
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
