import type { OpenBytes, StoredBytes } from '../../archive/stored-bytes.js';
import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { nameInside, type PackedEntry, type PackedFile } from './layer.js';

const chunkBytes = 256 * 1024;

/** The one file in a gzip file. The name in its header is not used, because the sender's listing decides the name. */
export function* gzipEntries(file: PackedFile): Generator<PackedEntry> {
  yield { name: nameInside(file.name, 'gzip'), bytes: gunzipped(file.bytes) };
}

/**
 * Node checks the checksum and the length of every part, and that no part is cut. Zeros after the last part are
 * padding; Node ignores what comes after them, which may be a further part with rows.
 *
 * @throws Error when something follows the padding
 */
async function* gunzipped(bytes: StoredBytes): AsyncGenerator<Buffer> {
  const input = await bytes.open();
  const output = new PassThrough({ highWaterMark: chunkBytes });
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  const finished = pipeline(input.range(0, input.sizeBytes), gunzip, output);
  // The reader below sees the failure first and ends this generator; the promise must not be left unhandled.
  finished.catch(() => undefined);
  try {
    // Without an encoding a stream gives Buffers.
    for await (const chunk of output as AsyncIterable<Buffer>) yield chunk;
    await finished;
    // The bytes that it used: those of the parts.
    await refuseContent(input, gunzip.bytesWritten);
  } finally {
    output.destroy();
    await finished.catch(() => undefined);
    await input.close();
  }
}

async function refuseContent(input: OpenBytes, from: number): Promise<void> {
  for await (const piece of input.range(from, input.sizeBytes)) {
    if (piece.some((byte) => byte !== 0)) throw new Error('something follows the zeros after its end');
  }
}
