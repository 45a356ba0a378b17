import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noArchiveKeys, type ArchiveKeys } from '../../src/archive/archive-keys.js';
import { Archive } from '../../src/archive/archive.js';
import { failureOf, sha256Of } from '../support/fetch-world.js';
import { folderForEachTest } from '../support/test-folder.js';

const data = folderForEachTest();

const first = 'a1'.repeat(32);
const second = 'b2'.repeat(32);
const withFirst: ArchiveKeys = { encryptWith: 'first', keys: { first } };
const withSecond: ArchiveKeys = { encryptWith: 'second', keys: { first, second } };

async function keep(content: string | Buffer, keys = noArchiveKeys): Promise<string> {
  const archive = new Archive(data.path, keys);
  const incoming = await archive.newIncoming();
  await incoming.write(Buffer.from(content));
  await incoming.end();
  await incoming.sync('store it');
  await incoming.close();
  await archive.keep(incoming, incoming.sha256);
  expect(incoming.sha256).toBe(sha256Of(content));
  return incoming.sha256;
}

async function contentOf(sha256: string, keys: ArchiveKeys): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of new Archive(data.path, keys).bytes(sha256).pieces(1000))
    pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

const pathOf = (sha256: string) => new Archive(data.path, noArchiveKeys).pathOf(sha256);
const isIntact = (sha256: string, keys = noArchiveKeys) => new Archive(data.path, keys).isIntact(sha256);
/** Names below the archive, and what is still incoming. */
const stored = () => [
  ...readdirSync(path.join(data.path, 'archive'), { recursive: true, encoding: 'utf8' })
    .map((name) => path.basename(name))
    .filter((name) => name.length > 2),
  ...readdirSync(path.join(data.path, 'incoming')),
];

test('bytes are stored under their hash, readable only by the owner', async () => {
  const sha256 = await keep('bytes');
  const at = path.join(data.path, 'archive', sha256.slice(0, 2), sha256);
  expect(readFileSync(at, 'utf8')).toBe('bytes');
  expect(statSync(at).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(at)).mode & 0o777).toBe(0o700);
  expect(await isIntact(sha256)).toBe(true);
});

test('F31 archiving the same bytes again changes nothing, and repairs damaged bytes', async () => {
  const sha256 = await keep('bytes');
  await keep('bytes');
  expect(stored()).toEqual([sha256]);
  writeFileSync(pathOf(sha256), 'Bytes');
  expect(await isIntact(sha256)).toBe(false);
  await keep('bytes');
  expect(await isIntact(sha256)).toBe(true);
});

test('a missing file is not intact', async () => {
  expect(await isIntact(sha256Of('nothing'))).toBe(false);
  expect(await new Archive(data.path, noArchiveKeys).has(sha256Of('nothing'))).toBe(false);
});

test('F23 only the incomplete files of dead runs are removed', async () => {
  const archive = new Archive(data.path, noArchiveKeys);
  await archive.removeIncoming();
  const incoming = await archive.newIncoming();
  await incoming.write(Buffer.from('half'));
  await incoming.close();
  writeFileSync(path.join(path.dirname(incoming.file), 'note.txt'), 'kept');
  await archive.removeIncoming();
  expect(existsSync(incoming.file)).toBe(false);
  expect(readdirSync(path.join(data.path, 'incoming'))).toEqual(['note.txt']);
});

describe('failures of the disk', () => {
  test('a file where a folder should be', async () => {
    mkdirSync(path.join(data.path, 'archive'));
    writeFileSync(path.join(data.path, 'archive', sha256Of('bytes').slice(0, 2)), '');
    await expect(keep('bytes')).rejects.toMatchObject({ code: 'DISK_FAILED' });
  });
});

describe('with a key', () => {
  test('no byte reaches the disk as it is, neither while it arrives nor in the archive', async () => {
    const archive = new Archive(data.path, withFirst);
    const incoming = await archive.newIncoming();
    await incoming.write(Buffer.from('4111'.repeat(40_000)));
    expect(readFileSync(incoming.file).length).toBeGreaterThan(100_000);
    expect(readFileSync(incoming.file).includes('4111')).toBe(false);
    await incoming.close();
    await incoming.remove();
    const sha256 = await keep('4111 1111', withFirst);
    expect(stored()).toEqual([`${sha256}.encrypted`]);
    expect(readFileSync(`${pathOf(sha256)}.encrypted`).includes('4111')).toBe(false);
    expect(statSync(`${pathOf(sha256)}.encrypted`).mode & 0o777).toBe(0o600);
    expect(await contentOf(sha256, withFirst)).toBe('4111 1111');
  });

  test('a file names its key: an old one is read with the old key, a new one is written with the new key', async () => {
    const old = await keep('old', withFirst);
    const young = await keep('young', withSecond);
    expect(await contentOf(old, withSecond)).toBe('old');
    expect(await contentOf(young, withSecond)).toBe('young');
    expect((await new Archive(data.path, withSecond).bytes(old).facts()).encryptedWith).toBe('first');
    expect((await new Archive(data.path, withSecond).bytes(young).facts()).encryptedWith).toBe('second');
  });

  test('plain files stay readable when it is switched on, encrypted ones when it is switched off', async () => {
    const plain = await keep('plain');
    const encrypted = await keep('encrypted', withFirst);
    for (const keys of [withFirst, { encryptWith: null, keys: { first } }]) {
      expect(await contentOf(plain, keys)).toBe('plain');
      expect(await contentOf(encrypted, keys)).toBe('encrypted');
      expect(await isIntact(encrypted, keys)).toBe(true);
    }
  });

  test('the same bytes in the other form replace the file, so that there is one', async () => {
    const sha256 = await keep('bytes');
    await keep('bytes', withFirst);
    expect(stored()).toEqual([`${sha256}.encrypted`]);
    await keep('bytes');
    expect(stored()).toEqual([sha256]);
  });

  test.each<[string, ArchiveKeys, string]>([
    ['without keys', noArchiveKeys, 'there is no key of that name'],
    ['with another key of that name', { encryptWith: null, keys: { first: second } }, 'another one'],
  ])('a file cannot be read %s, and the message names the key', async (_what, keys, why) => {
    const sha256 = await keep('bytes', withFirst);
    const failure = await failureOf(contentOf(sha256, keys));
    expect([failure.code, failure.exitCode]).toEqual(['ARCHIVE_KEY_MISSING', 2]);
    expect(failure.message).toContain(sha256);
    expect(failure.message).toContain('the key first');
    expect(failure.message).toContain(why);
    expect(failure.message).not.toContain(first);
  });
});
