import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exampleConfig } from '../../src/config/example-config.js';
import { folderForEachTest } from '../support/test-folder.js';
import { recon } from './recon.js';

const folder = folderForEachTest();

test('writes the example and creates the folder that it reads', async () => {
  const { code, stdout } = await recon(['init'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toContain(path.join(folder.path, 'recon.config.yaml'));
  expect(readFileSync(path.join(folder.path, 'recon.config.yaml'), 'utf8')).toBe(exampleConfig);
  expect(existsSync(path.join(folder.path, 'inbox'))).toBe(true);
});

test('writes the file that the other commands read: RECON_CONFIG names it, and --config takes precedence', async () => {
  const environment = { RECON_CONFIG: 'named.yaml' };
  expect((await recon(['init'], { cwd: folder.path, environment })).code).toBe(0);
  expect(readFileSync(path.join(folder.path, 'named.yaml'), 'utf8')).toBe(exampleConfig);
  expect((await recon(['init', '--config', 'other.yaml'], { cwd: folder.path, environment })).code).toBe(0);
  expect(existsSync(path.join(folder.path, 'other.yaml'))).toBe(true);
  expect(existsSync(path.join(folder.path, 'recon.config.yaml'))).toBe(false);
});

test('replaces a file only with --force', async () => {
  const file = path.join(folder.path, 'mine.yaml');
  writeFileSync(file, 'timezone: Asia/Tokyo\n');
  const refused = await recon(['init', '--config', 'mine.yaml', '--json'], { cwd: folder.path });
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'USAGE_INVALID' } });
  expect(readFileSync(file, 'utf8')).toBe('timezone: Asia/Tokyo\n');
  expect(
    (await recon(['init', '--config', 'mine.yaml', '--force', '--quiet'], { cwd: folder.path })).stdout,
  ).toBe('');
  expect(readFileSync(file, 'utf8')).toBe(exampleConfig);
});

test('a missing folder is reported as a disk error', async () => {
  const { code, stderr } = await recon(['init', '--config', 'nowhere/c.yaml'], { cwd: folder.path });
  expect(code).toBe(6);
  expect(stderr).toContain('(DISK_FAILED)');
});
