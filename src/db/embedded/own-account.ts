import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import type { ServerAccount } from './run-program.js';
import { accountOf, isGroup, userIdsOfProcesses } from './system-accounts.js';

/**
 * Ids that no distribution gives to users, and that systemd gives neither to services nor to containers. The second
 * range is for containers whose user ids end at 65535.
 */
const ranges = [
  { first: 65_600, last: 99_999 },
  { first: 60_706, last: 61_183 },
];

/** Where programs leave files of their accounts. Searching whole disks would take minutes. */
const publicFolders = ['/tmp', '/var/tmp', '/dev/shm', '/run', '/home', '/var/lib', '/var/spool', '/srv'];

const triesPerRange = 50;

/**
 * A user id for the server of one data directory that is not otherwise used: it has no name, no process and no files.
 * No account has to be created for it. The same directory gives the same id, so that an interrupted take-over continues
 * with it.
 *
 * @throws ReconError DATABASE_EMBEDDED when there is none
 */
export function chooseOwnAccount(dataDirectory: string): ServerAccount {
  const taken = takenIds();
  for (const uid of candidates(dataDirectory)) {
    const free =
      isMapped(uid) &&
      !taken.has(uid) &&
      !isSubordinate(uid) &&
      accountOf(uid) === undefined &&
      !isGroup(uid);
    if (free) return { uid, gid: uid };
  }
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `PostgreSQL does not run as root, and no free user id was found for it (${ranges.map(({ first, last }) => `${first} to ${last}`).join(', ')}). Give ${dataDirectory} to an account that nothing else uses (chown), run recon as that account, or set RECON_DATABASE_URL.`,
  );
}

function* candidates(dataDirectory: string): Generator<number> {
  const { dev, ino } = statSync(dataDirectory);
  const start = createHash('sha256').update(`${dev} ${ino} ${dataDirectory}`).digest().readUInt32BE();
  for (const { first, last } of ranges) {
    const count = last - first + 1;
    for (let step = 0; step < triesPerRange; step += 1) yield first + ((start + step) % count);
  }
}

function takenIds(): Set<number> {
  const taken = userIdsOfProcesses();
  for (const folder of publicFolders) {
    for (const name of namesIn(folder)) {
      const found = lstatSync(path.join(folder, name), { throwIfNoEntry: false });
      if (found !== undefined) taken.add(found.uid).add(found.gid);
    }
  }
  return taken;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** In a container, not every id may be used. */
function isMapped(id: number): boolean {
  return ['/proc/self/uid_map', '/proc/self/gid_map'].every((file) =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .some(([first = 0, , count = 0]) => id >= first && id < first + count),
  );
}

/** Whether an ordinary user may run containers under the id (`/etc/subuid`). */
function isSubordinate(id: number): boolean {
  return ['/etc/subuid', '/etc/subgid'].some((file) => {
    try {
      return readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':').map(Number))
        .some(([, first = 0, count = 0]) => id >= first && id < first + count);
    } catch {
      return false;
    }
  });
}
