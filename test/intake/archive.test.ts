import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  archiveFile,
  archivePath,
  isIntact,
  newIncomingFile,
  removeIncomingFiles,
} from '../../src/intake/archive.js';
import { sha256Of } from '../support/fetch-world.js';

let data: string;
beforeEach(() => (data = mkdtempSync(path.join(tmpdir(), 'recon-archive-'))));
afterEach(() => rmSync(data, { recursive: true, force: true }));

async function archive(content: string): Promise<string> {
  const incoming = await newIncomingFile(data);
  writeFileSync(incoming, content, { mode: 0o600 });
  await archiveFile(data, incoming, sha256Of(content));
  return sha256Of(content);
}

test('bytes are stored under their hash, readable only by the owner', async () => {
  const sha256 = await archive('bytes');
  const at = archivePath(data, sha256);
  expect(at).toBe(path.join(data, 'archive', sha256.slice(0, 2), sha256));
  expect(readFileSync(at, 'utf8')).toBe('bytes');
  expect(statSync(at).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(at)).mode & 0o777).toBe(0o700);
  expect(await isIntact(data, sha256)).toBe(true);
});

test('F31 archiving the same bytes again changes nothing, and repairs damaged bytes', async () => {
  const sha256 = await archive('bytes');
  await archive('bytes');
  expect(readdirSync(path.join(data, 'archive'), { recursive: true })).toHaveLength(2);
  writeFileSync(archivePath(data, sha256), 'Bytes');
  expect(await isIntact(data, sha256)).toBe(false);
  await archive('bytes');
  expect(await isIntact(data, sha256)).toBe(true);
});

test('a missing file is not intact', async () => {
  expect(await isIntact(data, sha256Of('nothing'))).toBe(false);
});

test('F23 only the incomplete files of dead runs are removed', async () => {
  await removeIncomingFiles(data);
  const incoming = await newIncomingFile(data);
  writeFileSync(incoming, 'half');
  writeFileSync(path.join(path.dirname(incoming), 'note.txt'), 'kept');
  await removeIncomingFiles(data);
  expect(existsSync(incoming)).toBe(false);
  expect(readdirSync(path.join(data, 'incoming'))).toEqual(['note.txt']);
});

describe('failures of the disk', () => {
  test('a file where a folder should be', async () => {
    mkdirSync(path.join(data, 'archive'));
    writeFileSync(path.join(data, 'archive', sha256Of('bytes').slice(0, 2)), '');
    await expect(archive('bytes')).rejects.toMatchObject({ code: 'DISK_FAILED' });
  });
});
