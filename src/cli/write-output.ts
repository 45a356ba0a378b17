import { open, rename, rm, stat } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toDiskError } from '../disk/disk-errors.js';

type Produce<T> = (out: Writable) => Promise<T>;

/**
 * Writes what is produced to a stream that stays open. A reader that went away (`| head`) ends it quietly:
 * the result is then undefined.
 */
export async function writeOutput<T>(output: Writable, produce: Produce<T>): Promise<T | undefined> {
  try {
    return await flow(produce, (source) => pipeline(source, output, { end: false }));
  } catch (thrown) {
    if (codeOf(thrown) === 'EPIPE' || codeOf(thrown) === 'ERR_STREAM_PREMATURE_CLOSE') return undefined;
    throw thrown;
  }
}

/**
 * Writes what is produced to a file that appears whole or not at all; what is no regular file (a pipe, a
 * device) is written to directly.
 *
 * @throws ReconError DISK_FULL, DISK_FAILED, and what `produce` throws
 */
export async function writeOutputFile<T>(target: string, produce: Produce<T>): Promise<T> {
  const existing = await stat(target).catch(() => undefined);
  const isReplaceable = existing === undefined || existing.isFile();
  const written = isReplaceable ? `${target}.partial` : target;
  try {
    const handle = await open(written, 'w');
    const result = await flow(produce, (source) =>
      pipeline(source, handle.createWriteStream({ flush: true })),
    );
    if (isReplaceable) await rename(written, target);
    return result;
  } catch (thrown) {
    if (isReplaceable) await rm(written, { force: true }).catch(() => undefined);
    throw toDiskError(`write ${target}`, thrown) ?? thrown;
  }
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

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
