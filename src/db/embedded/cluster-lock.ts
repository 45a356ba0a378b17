import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf, systemErrorOf } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { inPinnedFolder } from './private-folder.js';
import { processIdentity } from './process-identity.js';

const waitMs = 25;
const giveUpAfterMs = 120_000;
/** A lock that names nobody for this long is not being written: its content was lost when the machine went down. */
const namelessForMs = 1_000;

/**
 * Does the work while no other process (or other caller in this process) starts or stops the server of the same data
 * directory. A dead holder is detected by its process identity, and so is a lock that names no holder.
 *
 * The lock is the highest numbered file of the folder. A process takes the lock by creating the next number, which only
 * one process can do, and only if the current highest is released or its holder is dead. The highest is never removed,
 * so numbers only grow, and a slow process cannot take the lock because of outdated information.
 *
 * Only the owner of the folder above and root can take it. Files that root creates in it belong to that owner, who can
 * then use it without root.
 *
 * @throws ReconError DATABASE_EMBEDDED when somebody holds it for two minutes, or the folder is a link or belongs to
 *   somebody else
 */
export async function withClusterLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const owner = await makeFolder(folder);
  return inPinnedFolder(folder, [...new Set([process.getuid?.() ?? 0, owner, 0])], async (pinned) => {
    const mine = await takeLock(pinned, folder, owner);
    try {
      return await work();
    } finally {
      await release(mine);
    }
  });
}

/** @returns the user who owns the files in the folder */
async function makeFolder(folder: string): Promise<number> {
  const above = await stat(path.dirname(folder));
  const ownId = process.getuid?.() ?? above.uid;
  const owner = ownId === 0 ? above.uid : ownId;
  // Not recursive, which below /proc never ends.
  await mkdir(folder, { mode: 0o700 }).catch((thrown: unknown) => {
    // It exists, or is a file or a dangling link: these are refused below, with a message.
    if (systemCodeOf(thrown) !== 'EEXIST') throw thrown;
  });
  const found = await lstat(folder);
  if (!found.isDirectory()) return owner;
  if (ownId === 0 && found.uid === 0 && owner !== 0) await chown(folder, above.uid, above.gid);
  if ((found.uid === ownId || ownId === 0) && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
  return owner;
}

const released = 'released';

/**
 * Writes over the holder and cuts the rest off afterwards. Cut first, the lock would name nobody if the process died or
 * the disk was full before the word was written.
 */
async function release(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r+');
    try {
      await handle.write(released, 0);
      await handle.truncate(released.length);
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    // The work is done, and the lock is free as soon as this process has ended.
    if (systemErrorOf(thrown) === undefined) throw thrown;
  }
}

async function takeLock(folder: string, shown: string, owner: number): Promise<string> {
  const deadline = performance.now() + giveUpAfterMs;
  let nameless = { number: 0, sinceMs: 0 };
  for (;;) {
    const highest = await highestNumber(folder);
    // Undefined if a later process has just removed it; then it is looked for again.
    const holder =
      highest === 0
        ? released
        : await readFile(path.join(folder, `${highest}`), 'utf8').catch(() => undefined);
    if (holder === undefined || namesHolder(holder)) nameless = { number: 0, sinceMs: 0 };
    else if (nameless.number !== highest) nameless = { number: highest, sinceMs: performance.now() };
    const isLost = nameless.number > 0 && performance.now() - nameless.sinceMs > namelessForMs;
    if (isLost || (holder !== undefined && isFree(holder))) {
      const taken = await create(folder, highest + 1, owner);
      if (taken !== undefined) return taken;
    }
    if (performance.now() > deadline) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `Another process (${holder?.split(' ')[0] ?? 'unknown'}) has been starting or stopping the database for two minutes (lock ${shown}).`,
      );
    }
    await sleep(waitMs);
  }
}

/** Begins with the word while it is being released. */
const isReleased = (holder: string) => holder.startsWith(released);
const processOf = (holder: string) => Number(holder.split(' ')[0]);
const namesHolder = (holder: string) => isReleased(holder) || processOf(holder) > 0;

function isFree(holder: string): boolean {
  if (isReleased(holder)) return true;
  return processOf(holder) > 0 && processIdentity(processOf(holder)) !== holder;
}

/** The file appears together with its content, so no process ever sees a lock without a holder. */
async function create(folder: string, number: number, owner: number): Promise<string | undefined> {
  const draft = path.join(folder, `draft-${randomUUID()}`);
  const target = path.join(folder, `${number}`);
  try {
    await writeFile(draft, processIdentity(process.pid) ?? `${process.pid}`, { flag: 'wx', mode: 0o600 });
    if (process.getuid?.() === 0 && owner !== 0) await lchown(draft, owner, owner);
    await link(draft, target);
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'EEXIST') return undefined;
    throw thrown;
  } finally {
    await rm(draft, { force: true });
  }
  if ((await highestNumber(folder)) !== number) {
    await rm(target, { force: true });
    return undefined;
  }
  for (const name of await readdir(folder)) {
    if (Number(name) < number) await rm(path.join(folder, name), { force: true });
  }
  return target;
}

async function highestNumber(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).map(Number).filter((number) => number > 0);
  return Math.max(0, ...numbers);
}
