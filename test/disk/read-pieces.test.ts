import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPieces } from '../../src/disk/read-pieces.js';
import { folderForAllTests } from '../support/test-folder.js';

const folder = folderForAllTests();

test('the pieces of a file are its bytes in their order, whatever the size of a piece', async () => {
  const file = path.join(folder.path, 'file');
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 100 }),
      async (bytes, size) => {
        writeFileSync(file, bytes);
        const pieces: Buffer[] = [];
        for await (const piece of readPieces(file, size)) pieces.push(Buffer.from(piece));
        expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
        expect(pieces.every((piece) => piece.length > 0 && piece.length <= size)).toBe(true);
      },
    ),
  );
});

test('all pieces use the same memory', async () => {
  const file = path.join(folder.path, 'large');
  writeFileSync(file, Buffer.alloc(10_000));
  const memory = new Set<ArrayBufferLike>();
  for await (const piece of readPieces(file, 1000)) memory.add(piece.buffer);
  expect(memory.size).toBe(1);
});

test('a file that is not there is an error of the system', async () => {
  await expect(readPieces(path.join(folder.path, 'missing'), 10).next()).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
