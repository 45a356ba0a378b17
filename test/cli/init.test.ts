import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleConfig } from '../../src/config/example-config.js';
import { recon } from './recon.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'recon-init-'));
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

test('writes the example and creates the folder that it reads', async () => {
  const { code, stdout } = await recon(['init'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(path.join(cwd, 'recon.config.yaml'));
  expect(readFileSync(path.join(cwd, 'recon.config.yaml'), 'utf8')).toBe(exampleConfig);
  expect(existsSync(path.join(cwd, 'inbox'))).toBe(true);
});

test('writes the file that the other commands read: RECON_CONFIG names it, and --config takes precedence', async () => {
  const environment = { RECON_CONFIG: 'named.yaml' };
  expect((await recon(['init'], { cwd, environment })).code).toBe(0);
  expect(readFileSync(path.join(cwd, 'named.yaml'), 'utf8')).toBe(exampleConfig);
  expect((await recon(['init', '--config', 'other.yaml'], { cwd, environment })).code).toBe(0);
  expect(existsSync(path.join(cwd, 'other.yaml'))).toBe(true);
  expect(existsSync(path.join(cwd, 'recon.config.yaml'))).toBe(false);
});

test('replaces a file only with --force', async () => {
  const file = path.join(cwd, 'mine.yaml');
  writeFileSync(file, 'timezone: Asia/Tokyo\n');
  const refused = await recon(['init', '--config', 'mine.yaml', '--json'], { cwd });
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'USAGE_INVALID' } });
  expect(readFileSync(file, 'utf8')).toBe('timezone: Asia/Tokyo\n');
  expect((await recon(['init', '--config', 'mine.yaml', '--force', '--quiet'], { cwd })).stdout).toBe('');
  expect(readFileSync(file, 'utf8')).toBe(exampleConfig);
});

test('a missing folder is reported as a disk error', async () => {
  const { code, stderr } = await recon(['init', '--config', 'nowhere/c.yaml'], { cwd });
  expect(code).toBe(6);
  expect(stderr).toContain('(DISK_FAILED)');
});
