import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { writePiece } from '../../src/disk/write-piece.js';

const small = () => new PassThrough({ highWaterMark: 4 });

test('waits until the reader has taken what was written', async () => {
  const out = small();
  let isWritten = false;
  const written = writePiece(out, 'longer than the buffer').then(() => (isWritten = true));
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  out.resume();
  await written;
  expect(out.listenerCount('close')).toBe(0);
});

test('does not wait for a reader that has room', async () => {
  await writePiece(small(), 'ab');
});

test.each([
  ['an error', new Error('the disk is full'), 'the disk is full'],
  ['no error', undefined, 'the output was closed'],
])('ends when the stream is destroyed with %s, before or while it waits', async (_what, error, message) => {
  const out = small();
  out.on('error', () => undefined);
  const waiting = writePiece(out, 'longer than the buffer');
  out.destroy(error);
  await expect(waiting).rejects.toThrow(message);
  await expect(writePiece(out, 'more')).rejects.toThrow(message);
});
