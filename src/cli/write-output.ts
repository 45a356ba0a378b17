import { open, rm, type FileHandle } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toDiskError } from '../disk/disk-errors.js';
import { replaceFile } from '../disk/durable.js';
import { statIfThere } from '../disk/look.js';
import { createFile, privateFile } from '../disk/private-files.js';

type Produce<T> = (out: Writable) => Promise<T>;

/**
 * Writes what is produced to a stream that stays open. A reader that went away (`| head`) ends it quietly:
 * the result is then undefined.
 */
export async function writeOutput<T>(output: Writable, produce: Produce<T>): Promise<T | undefined> {
  try {
    return await flow(produce, (source) => pipeline(source, output, { end: false }));
  } catch (thrown) {
    if (hasCode(thrown, 'EPIPE') || hasCode(thrown, 'ERR_STREAM_PREMATURE_CLOSE')) return undefined;
    throw thrown;
  }
}

/**
 * Writes what is produced to a file that appears whole or not at all. A new file is for its owner alone; one that
 * is replaced keeps its mode, so that whoever could read it still can. Something that is not a regular file (a
 * pipe, a device) is written to directly.
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
  // Left by a process that was killed.
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

/** Producer and consumer at once: when the consumer fails, nobody waits for the producer. */
async function flow<T>(produce: Produce<T>, consume: (source: PassThrough) => Promise<void>): Promise<T> {
  const between = new PassThrough();
  const consumed = consume(between);
  const produced = produce(between).then(
    (result) => {
      between.end();
      return result;
    },
    (thrown: unknown) => {
      between.destroy();
      throw thrown;
    },
  );
  // A producer's failure destroys the stream and so makes the consumer fail as well; the first cause counts.
  const [first] = await Promise.all([
    Promise.race([produced, consumed.then(() => produced)]),
    produced.then(() => consumed),
  ]);
  return first;
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
