import type { StoredBytes } from '../../archive/stored-bytes.js';
import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { nameInside, type PackedEntry, type PackedFile } from './layer.js';

const chunkBytes = 256 * 1024;

/** The one file in a gzip file. The name in its header is not used, because the sender's listing decides the name. */
export function* gzipEntries(file: PackedFile): Generator<PackedEntry> {
  yield { name: nameInside(file.name, 'gzip'), bytes: gunzipped(file.bytes) };
}

/** Node checks the checksum and the length of every part, and that no part is cut. */
async function* gunzipped(bytes: StoredBytes): AsyncGenerator<Buffer> {
  const input = await bytes.open();
  const output = new PassThrough({ highWaterMark: chunkBytes });
  const finished = pipeline(input.range(0, input.sizeBytes), createGunzip({ chunkSize: chunkBytes }), output);
  // The reader below sees the failure first and ends this generator; the promise must not be left unhandled.
  finished.catch(() => undefined);
  try {
    // Without an encoding a stream gives Buffers.
    for await (const chunk of output as AsyncIterable<Buffer>) yield chunk;
    await finished;
  } finally {
    output.destroy();
    await finished.catch(() => undefined);
    await input.close();
  }
}
