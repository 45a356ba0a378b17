import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseArchiveKeys } from '../../src/archive/archive-keys.js';
import { Archive } from '../../src/archive/archive.js';
import { chunkBytes, newFileKey, sealChunk } from '../../src/archive/encrypted-format.js';
import { sha256Of } from '../support/fetch-world.js';
import { folderForThisTest } from '../support/test-folder.js';

/** The bytes of an encrypted file must never change: an archive keeps them for years. */

const keys = { '2026': 'a1'.repeat(32) };

/** A file of two chunks, with a salt that is always the same. */
function sealed(content: Buffer): Buffer {
  const fileKey = newFileKey('2026', keys['2026'], (bytes) => Buffer.alloc(bytes, 7));
  const last = { position: 1, endOf: sha256Of(content) };
  return Buffer.concat([
    fileKey.header,
    ...sealChunk(fileKey, { position: 0, endOf: null }, content.subarray(0, chunkBytes)),
    ...sealChunk(fileKey, last, content.subarray(chunkBytes)),
  ]);
}

const content = Buffer.concat([Buffer.alloc(chunkBytes, 'row '), Buffer.from('the end')]);

test('a file is stored in the same bytes as ever', () => {
  const stored = sealed(content);
  expect(stored.subarray(0, 53).toString('hex')).toBe(
    `5245434f4e4152310432303236${'07'.repeat(32)}deead13b6b598400`,
  );
  expect(sha256Of(stored)).toBe('6bc22f8ebb250b9464d1ed40139acd01de023043f4099919f0e5093ec6c9576d');
});

test.each(['plain', 'encrypted'])(
  'a range of a file that is %s has the bytes from its first to its last',
  async (form) => {
    const data = folderForThisTest();
    const archive = new Archive(data, { encryptWith: null, keys });
    const sha256 = sha256Of(content);
    const file = archive.pathOf(sha256);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
      form === 'plain' ? file : `${file}.encrypted`,
      form === 'plain' ? content : sealed(content),
    );
    const opened = await archive.bytes(sha256).open();
    onTestFinished(() => opened.close());
    for (const [from, to] of [
      [0, 5],
      [5, 5],
      [chunkBytes - 2, chunkBytes + 3],
      [chunkBytes, content.length],
      [3, content.length + 10],
    ] as const) {
      const pieces: Buffer[] = [];
      for await (const piece of opened.range(from, to)) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(content.subarray(from, to)), `${from} to ${to}`).toBe(true);
    }
  },
);

test('the name of a key fits into the header of a file', () => {
  const named = (length: number) => parseArchiveKeys(JSON.stringify({ ['k'.repeat(length)]: keys['2026'] }));
  expect(named(64)).toBeDefined();
  expect(named(65)).toBeUndefined();
});
