import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ReconError, messageOf } from '../errors.js';
import { failPoint } from '../fail-point.js';

/**
 * The archive keeps the bytes of every file as they came, by their SHA-256, before anything reads them. A
 * name or date never decides where they lie: both can be sent again with other content.
 */

/** Where the bytes with this SHA-256 lie. */
export function archivePath(dataDirectory: string, sha256: string): string {
  return path.join(dataDirectory, 'archive', sha256.slice(0, 2), sha256);
}

/** Where a file is while it is received: on the same disk, so that moving it is one rename. */
export async function newIncomingFile(dataDirectory: string): Promise<string> {
  const directory = path.join(dataDirectory, 'incoming');
  await onDisk(`create ${directory}`, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  return path.join(directory, `${randomUUID()}.part`);
}

/** Removes one that was not archived; one that was is not there any more. */
export async function removeIncomingFile(incoming: string): Promise<void> {
  await rm(incoming, { force: true });
}

/** Removes what runs that died had begun to receive; nothing is ever resumed from it. */
export async function removeIncomingFiles(dataDirectory: string): Promise<void> {
  const directory = path.join(dataDirectory, 'incoming');
  for (const name of await readdir(directory).catch((): string[] => [])) {
    if (name.endsWith('.part')) await rm(path.join(directory, name), { force: true });
  }
}

/** Moves received bytes, already synced, to their place; bytes that lie there already are the same. */
export async function archiveFile(dataDirectory: string, incoming: string, sha256: string): Promise<void> {
  const target = archivePath(dataDirectory, sha256);
  const folder = path.dirname(target);
  await onDisk(`archive ${sha256}`, async () => {
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(incoming, target);
    failPoint('archive.renamed');
    await syncDirectory(folder);
    // A folder that is new is itself an entry that must reach the disk.
    if (firstMade !== undefined) {
      await syncDirectory(path.dirname(folder));
      await syncDirectory(dataDirectory);
    }
  });
}

/** Whether the archived bytes still have their SHA-256. */
export async function isIntact(dataDirectory: string, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(archivePath(dataDirectory, sha256)))
      hash.update(chunk as Buffer);
  } catch {
    return false;
  }
  return hash.digest('hex') === sha256;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Runs a step on the local disk; its failure ends the run (exit 6), as the next file would meet it too. */
export async function onDisk<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toDiskError(what, thrown) ?? thrown;
  }
}

/** A failure of the local disk as an error for people; undefined when it is something else. */
export function toDiskError(what: string, thrown: unknown): ReconError | undefined {
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  if (thrown instanceof ReconError || syscall === undefined || !isDiskCode(code)) return undefined;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new ReconError(
    isFull ? 'DISK_FULL' : 'DISK_FAILED',
    isFull ? `The disk is full: could not ${what}.` : `Could not ${what}: ${messageOf(thrown)}.`,
    { cause: thrown },
  );
}

const isDiskCode = (code: string | undefined) =>
  /^E(NOSPC|DQUOT|IO|ROFS|ACCES|PERM|NOTDIR|ISDIR|EXIST|MFILE|NFILE|NOENT|FBIG|XDEV|NAMETOOLONG|LOOP)$/.test(
    code ?? '',
  );
