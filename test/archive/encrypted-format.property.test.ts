import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { Archive } from '../../src/archive/archive.js';
import { chunkBytes, storedChunkBytes } from '../../src/archive/encrypted-format.js';
import { ReconError } from '../../src/errors.js';
import { numberedBytes, sha256Of } from '../support/fetch-world.js';
import { folderForEachTest } from '../support/test-folder.js';

/** Any content, cut into any pieces, comes back whole; any damage of the stored file is found before a byte is used. */

const data = folderForEachTest();
let archive: Archive;
beforeEach(() => {
  archive = new Archive(data.path, { encryptWith: 'k', keys: { k: 'c3'.repeat(32) } });
});

/** Sizes on and around the borders of chunks. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -2, max: 2 }))
    .map(([chunks, more]) => chunks * chunkBytes + more),
);

/** No two stretches are alike, and none is a stretch of another file. */
const contentOf = (bytes: number, seed: number) =>
  Buffer.from(numberedBytes(Math.ceil(bytes / 4) * 4).map((byte) => byte ^ seed)).subarray(0, bytes);

async function store(content: Buffer, pieceBytes: number): Promise<string> {
  const incoming = await archive.newIncoming();
  for (let at = 0; at < content.length; at += pieceBytes) {
    await incoming.write(content.subarray(at, at + pieceBytes));
  }
  await incoming.end();
  await incoming.sync('store it');
  await incoming.close();
  await archive.keep(incoming, incoming.sha256);
  return incoming.sha256;
}

const stored = (sha256: string) => `${archive.pathOf(sha256)}.encrypted`;

/** All content, as far as it was returned before an error. */
async function read(sha256: string): Promise<{ content: Buffer; error: unknown }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of archive.bytes(sha256).pieces(1000)) pieces.push(Buffer.from(piece));
    return { content: Buffer.concat(pieces), error: undefined };
  } catch (error) {
    return { content: Buffer.concat(pieces), error };
  }
}

test('any content in any pieces comes back, whole and from any place', async () => {
  await fc.assert(
    fc.asyncProperty(
      size,
      fc.integer({ min: 1, max: 200_000 }),
      fc.integer({ min: 0, max: 255 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 200_000 }),
      async (bytes, pieceBytes, seed, place, length) => {
        const content = contentOf(bytes, seed);
        const sha256 = await store(content, Math.max(pieceBytes, Math.ceil(bytes / 50)));
        expect(sha256).toBe(sha256Of(content));
        expect((await read(sha256)).content.equals(content)).toBe(true);
        const opened = await archive.bytes(sha256).open();
        expect(opened.sizeBytes).toBe(bytes);
        const from = Math.floor(place * bytes);
        expect((await opened.read(from, length)).equals(content.subarray(from, from + length))).toBe(true);
        await opened.close();
      },
    ),
    { numRuns: 30, seed: 11 },
  );
});

type Damage = (file: Buffer, other: Buffer, at: number) => Buffer;

/** The header of both files: the name of the key has one letter. */
const headerBytes = 8 + 1 + 1 + 32 + 8;
const chunk = (file: Buffer, index: number) =>
  file.subarray(headerBytes + index * storedChunkBytes, headerBytes + (index + 1) * storedChunkBytes);
const chunksOf = (file: Buffer) => Math.ceil((file.length - headerBytes) / storedChunkBytes);
const chunkAt = (file: Buffer, at: number) => at % chunksOf(file);
const withChunk = (file: Buffer, index: number, replaced: Buffer) =>
  Buffer.concat([
    file.subarray(0, headerBytes + index * storedChunkBytes),
    replaced,
    file.subarray(headerBytes + (index + 1) * storedChunkBytes),
  ]);

const damages: Record<string, Damage> = {
  'a changed bit': (file, _other, at) => {
    const changed = Buffer.from(file);
    const place = at % file.length;
    changed.writeUInt8(changed.readUInt8(place) ^ (1 << (at % 8)), place);
    return changed;
  },
  'a cut anywhere': (file, _other, at) => file.subarray(0, at % file.length),
  'a cut between chunks': (file, _other, at) =>
    file.subarray(0, headerBytes + chunkAt(file, at) * storedChunkBytes),
  'bytes after the end': (file, other, at) =>
    Buffer.concat([file, other.subarray(0, 1 + (at % other.length))]),
  'two chunks in the other order': (file, _other, at) => {
    const index = chunkAt(file, at);
    const next = (index + 1) % chunksOf(file);
    return withChunk(withChunk(file, index, chunk(file, next)), next, chunk(file, index));
  },
  'a chunk twice': (file, _other, at) => {
    const index = chunkAt(file, at);
    return withChunk(file, index, Buffer.concat([chunk(file, index), chunk(file, index)]));
  },
  'a chunk left out': (file, _other, at) => withChunk(file, chunkAt(file, at), Buffer.alloc(0)),
  'a chunk of another file with the same key': (file, other, at) =>
    withChunk(file, chunkAt(file, at), chunk(other, chunkAt(file, at))),
  'another file with the same key': (_file, other) => other,
};

test.each(Object.entries(damages))('%s is found', async (_what, damage) => {
  await fc.assert(
    fc.asyncProperty(size, fc.integer({ min: 0, max: 1 }), fc.nat(), async (bytes, sameSize, at) => {
      const content = contentOf(bytes, 1);
      const sha256 = await store(content, chunkBytes);
      const other = await store(contentOf(bytes + 1 - sameSize + (bytes === 0 ? 1 : 0), 2), chunkBytes);
      const whole = readFileSync(stored(sha256));
      const damaged = damage(whole, readFileSync(stored(other)), at);
      // Two chunks in the other order are the same if there is one.
      fc.pre(!damaged.equals(whole));
      writeFileSync(stored(sha256), damaged);
      const { content: returned, error } = await read(sha256);
      expect(error).toBeInstanceOf(ReconError);
      expect(['DISK_FAILED', 'ARCHIVE_KEY_MISSING']).toContain((error as ReconError).code);
      // What came before the damage is right, and the end was never reached.
      expect(returned.equals(content.subarray(0, returned.length))).toBe(true);
      expect(returned.length < content.length || content.length === 0).toBe(true);
    }),
    { numRuns: 10, seed: 12 },
  );
});
