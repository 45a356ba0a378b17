import { open, rm, type FileHandle } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toDiskError } from '../disk/disk-errors.js';
import { replaceFile } from '../disk/durable.js';
import { statIfThere } from '../disk/unless-missing.js';
import { createFile, privateFile } from '../disk/private-files.js';

type Produce<T> = (out: Writable) => Promise<T>;

/**
 * Writes the produced data to standard output, which stays open. If the reader has closed it (`| head`), writing stops
 * silently and the result is undefined.
 *
 * @throws ReconError DISK_FULL, DISK_FAILED (`> /full/disk`), and what `produce` throws
 */
export async function writeOutput<T>(output: Writable, produce: Produce<T>): Promise<T | undefined> {
  try {
    return await flow(produce, (source) => pipeline(source, output, { end: false }));
  } catch (thrown) {
    if (hasCode(thrown, 'EPIPE') || hasCode(thrown, 'ERR_STREAM_PREMATURE_CLOSE')) return undefined;
    throw toDiskError('write standard output', thrown) ?? thrown;
  }
}

/**
 * Writes the produced data to a file that appears completely or not at all. Only the owner can read a new file; a
 * replaced file keeps its mode, so that the same accounts can read it. Something that is not a regular file (a pipe, a
 * device) is written to directly.
 *
 * @throws ReconError DISK_FULL, DISK_FAILED, and what `produce` throws
 */
export async function writeOutputFile<T>(target: string, produce: Produce<T>): Promise<T> {
  try {
    const existing = await statIfThere(target);
    if (existing !== undefined && !existing.isFile()) return await write(await open(target, 'w'), produce);
    const mode = existing === undefined ? privateFile : existing.mode & 0o777;
    return await replaceWhole(target, mode, produce);
  } catch (thrown) {
    throw toDiskError(`write ${target}`, thrown) ?? thrown;
  }
}

async function replaceWhole<T>(target: string, mode: number, produce: Produce<T>): Promise<T> {
  const written = `${target}.partial`;
  // Left by a killed process.
  await rm(written, { force: true });
  const handle = await createFile(written, { mode, owner: 'account' });
  try {
    const result = await write(handle, produce);
    await replaceFile(written, target);
    return result;
  } catch (thrown) {
    await rm(written, { force: true }).catch(() => undefined);
    throw thrown;
  }
}

/** The stream closes the file. */
function write<T>(handle: FileHandle, produce: Produce<T>): Promise<T> {
  return flow(produce, (source) => pipeline(source, handle.createWriteStream({ flush: true })));
}

/** Runs producer and consumer concurrently; if the consumer fails, the producer is not awaited. */
async function flow<T>(produce: Produce<T>, consume: (source: PassThrough) => Promise<void>): Promise<T> {
  const between = new PassThrough();
  const consumed = consume(between);
  const produced = produce(between).then(
    (result) => {
      between.end();
      return result;
    },
    async (thrown: unknown) => {
      // The consumer failed first, and its error says why.
      if (between.destroyed) await consumed;
      between.destroy();
      throw thrown;
    },
  );
  // A failure of the producer destroys the stream, so the consumer fails too; the first cause counts.
  const [first] = await Promise.all([
    Promise.race([produced, consumed.then(() => produced)]),
    produced.then(() => consumed),
  ]);
  return first;
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
