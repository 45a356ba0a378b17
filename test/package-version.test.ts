import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildNumber } from '../src/payment-core/core/build-number.js';
import { recon } from './cli/recon.js';

const { version, releasedAt } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../package.json'), 'utf8'),
) as { version: string; releasedAt: string };

test('recon --version prints the version of the package', async () => {
  expect(await recon(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('the build number of the payment core names the version of the package and its moment', () => {
  expect(buildNumber).toBe(`recon-${version}@${releasedAt}`);
  expect(releasedAt).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000$/);
});
