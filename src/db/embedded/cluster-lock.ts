import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import { inPinnedFolder } from './private-folder.js';
import { processIdentity } from './process-identity.js';

const waitMs = 25;
const giveUpAfterMs = 120_000;

/**
 * Does the work while no other process (or other caller in this process) starts or stops the server of the same data
 * directory. A dead holder is detected by its process identity.
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
      await writeFile(mine, released);
    }
  });
}

/** @returns the user who owns the files in the folder */
async function makeFolder(folder: string): Promise<number> {
  const above = await stat(path.dirname(folder));
  const ownId = process.getuid?.() ?? above.uid;
  const owner = ownId === 0 ? above.uid : ownId;
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((thrown: unknown) => {
    // A file or a dangling link; it is refused below, with a message.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  });
  const found = await lstat(folder);
  if (!found.isDirectory()) return owner;
  if (ownId === 0 && found.uid === 0 && owner !== 0) await chown(folder, above.uid, above.gid);
  if ((found.uid === ownId || ownId === 0) && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
  return owner;
}

const released = 'released';

async function takeLock(folder: string, shown: string, owner: number): Promise<string> {
  const deadline = performance.now() + giveUpAfterMs;
  for (;;) {
    const highest = await highestNumber(folder);
    const holder =
      highest === 0 ? released : await readFile(path.join(folder, `${highest}`), 'utf8').catch(() => '');
    if (isFree(holder)) {
      const taken = await create(folder, highest + 1, owner);
      if (taken !== undefined) return taken;
    }
    if (performance.now() > deadline) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `Another process (${holder.split(' ')[0] ?? ''}) has been starting or stopping the database for two minutes (lock ${shown}).`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/**
 * If the holder cannot be read (a later one has just removed the file), the lock is checked again; it does not count as
 * free.
 */
function isFree(holder: string): boolean {
  if (holder === released) return true;
  const processId = Number(holder.split(' ')[0]);
  return processId > 0 && processIdentity(processId) !== holder;
}

/** The file appears together with its content, so no process ever sees a lock without a holder. */
async function create(folder: string, number: number, owner: number): Promise<string | undefined> {
  const draft = path.join(folder, `draft-${randomUUID()}`);
  const target = path.join(folder, `${number}`);
  await writeFile(draft, processIdentity(process.pid) ?? `${process.pid}`, { flag: 'wx', mode: 0o600 });
  try {
    if (process.getuid?.() === 0 && owner !== 0) await lchown(draft, owner, owner);
    await link(draft, target);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
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
