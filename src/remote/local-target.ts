import { lstat, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, isMissing, systemErrorOf } from '../disk/disk-errors.js';
import { syncDirectory } from '../disk/durable.js';
import { createFile, folderModeFor, makeFolder } from '../disk/private-files.js';
import { ReconError } from '../errors.js';
import type { TargetFolder } from './target-folder.js';
import type { LocalTarget } from './target-settings.js';

/**
 * A folder of this machine, or of a file system that is mounted here.
 *
 * @throws ReconError REPORT_UNDELIVERED if it does not exist: it is not created, because its disk may not be mounted
 */
export async function openLocalTarget(target: LocalTarget, fileMode: number): Promise<TargetFolder> {
  const where = `delivery target ${target.name} (${target.folder})`;
  const at = (name: string) => path.join(target.folder, name);
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      // Anything else comes from the report that is read.
      if (systemErrorOf(thrown) === undefined) throw thrown;
      const sentence = `${where} could not ${what}: ${causeOf(thrown)}.`;
      throw new ReconError('REPORT_UNDELIVERED', sentence, { cause: thrown });
    }
  };
  const isFolder = await attempt('be read', async () => (await stat(target.folder)).isDirectory());
  if (!isFolder) throw new ReconError('REPORT_UNDELIVERED', `${where} is not a folder.`);
  return {
    where,
    exists: (name) => attempt(`look at ${name}`, async () => (await look(at(name))) !== undefined),
    size: (name) =>
      attempt(`look at ${name}`, async () => {
        const found = await look(at(name));
        return found?.isFile() === true ? found.size : undefined;
      }),
    read: (name, maximumBytes) =>
      attempt(`read ${name}`, async () => {
        const found = await look(at(name));
        return found?.isFile() === true && found.size <= maximumBytes ? readFile(at(name)) : undefined;
      }),
    makeFolder: (name) =>
      attempt(`create ${name}`, async () => {
        const made = await makeFolder(at(name), { mode: folderModeFor(fileMode), owner: 'account' });
        if (made === undefined) throw notNew(where, name);
      }),
    write: (name, pieces) => attempt(`write ${name}`, () => writeFile(at(name), fileMode, pieces)),
    rename: (from, to) =>
      attempt(`rename ${from} to ${to}`, async () => {
        await rename(at(from), at(to));
        await syncNames(target.folder);
      }),
    remove: (name) => attempt(`delete ${name}`, () => rm(at(name), { recursive: true, force: true })),
    close: () => Promise.resolve(),
  };
}

/** Somebody who may write there too was faster, perhaps with a link: the report would be written somewhere else. */
function notNew(where: string, name: string): ReconError {
  return new ReconError(
    'REPORT_UNDELIVERED',
    `${where} has a folder or a link ${name} that recon did not create; nothing was written into it.`,
  );
}

async function look(file: string) {
  try {
    return await lstat(file);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

async function writeFile(file: string, mode: number, pieces: AsyncIterable<Buffer>): Promise<void> {
  const handle = await createFile(file, { mode, owner: 'account' });
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncNames(path.dirname(file));
}

/** Shares of other systems cannot sync a folder; there the server decides. */
async function syncNames(directory: string): Promise<void> {
  try {
    await syncDirectory(directory);
  } catch (thrown) {
    if (!/^(EINVAL|ENOTSUP|EOPNOTSUPP|ENOSYS|EPERM|EACCES|EISDIR)$/.test(systemErrorOf(thrown)?.code ?? '')) {
      throw thrown;
    }
  }
}
