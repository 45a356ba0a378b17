import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onDisk } from '../disk/disk-errors.js';
import { hostMark } from '../host-mark.js';
import { isAlive } from '../is-alive.js';

/**
 * Names of work directories: they say which process of which machine made them, because machines and containers may
 * share the folder of temporary files.
 */
const beginning = `recon-dry-run-${hostMark}-`;
const ending = /^([1-9]\d{0,9})-\w{6}$/;

/** The work directories of this process; a dead process in the same container may have had the same number. */
const ownDirectories = new Set<string>();

/** A new folder for the bytes that a dry run receives, in the folder of temporary files. */
export async function createWorkDirectory(): Promise<string> {
  const prefix = path.join(tmpdir(), `${beginning}${process.pid}-`);
  const directory = await onDisk(`create a folder in ${tmpdir()}`, () => mkdtemp(prefix));
  ownDirectories.add(directory);
  return directory;
}

/** Removes a work directory at the end of its dry run. */
export async function removeWorkDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  ownDirectories.delete(directory);
}

/**
 * Removes the work directories of dry runs that were killed, because they contain settlement files. One that cannot be
 * removed stays: that is not a reason to end a run.
 */
export async function removeLeftWorkDirectories(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const directory = path.join(tmpdir(), name);
    if (isAbandoned(name, directory) && (await isOurs(directory)))
      await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whether a process of this machine made the folder and has ended. */
function isAbandoned(name: string, directory: string): boolean {
  if (!name.startsWith(beginning)) return false;
  const processId = Number(ending.exec(name.slice(beginning.length))?.[1] ?? NaN);
  if (Number.isNaN(processId)) return false;
  return processId === process.pid ? !ownDirectories.has(directory) : !isAlive(processId);
}

/** Whether it is a folder, and not a link, of the account that runs recon: others may write there too. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined);
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.();
}
