import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Tx } from './connect.js';

/** Larger writes bring nothing, smaller ones cost a third of the speed (measured at 128-256 KB). */
const writeBytes = 192 * 1024;

/**
 * COPY … FROM STDIN. A COPY that the server refuses never settles in postgres.js 3.4.9 (its stream is not
 * told), so the query's own rejection is hooked and raced with the stream. It leans on an internal of the
 * driver: its version is pinned and tests hold the behaviour.
 */
export async function copyIn(
  tx: Tx,
  statement: string,
  source: AsyncIterable<Buffer | string>,
): Promise<void> {
  const query = tx.unsafe(statement);
  // `reject` is the internal that the wrapper needs; the public type does not know it.
  const internals = query as unknown as { reject: (reason: unknown) => void };
  const failed = new Promise<never>((_, reject) => {
    const original = internals.reject;
    internals.reject = (reason) => {
      reject(reason as Error);
      original(reason);
    };
  });
  failed.catch(() => undefined);
  const writable = await Promise.race([query.writable(), failed]);
  writable.on('error', () => undefined);
  await Promise.race([
    pipeline(Readable.from(batched(source), { objectMode: true, highWaterMark: 2 }), writable),
    failed,
  ]);
}

/** COPY … TO STDOUT as a stream of bytes. */
export async function copyOut(tx: Tx, statement: string): Promise<Readable> {
  return tx.unsafe(statement).readable();
}

async function* batched(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(buffer);
    bytes += buffer.length;
    if (bytes < writeBytes) continue;
    yield waiting.length === 1 ? buffer : Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
