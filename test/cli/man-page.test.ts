import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import { globalOptions } from '../../src/cli/global-options.js';
import { manPage } from '../../src/cli/man-page.js';
import { exitCodes } from '../../src/errors.js';
import { readPackageVersion } from '../../src/package-version.js';
import { needs } from '../support/needs.js';

const page = manPage(commands, readPackageVersion());

test('npm installs the page that the build writes', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const { man, scripts, files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    man: unknown;
    scripts: Record<string, string>;
    files: string[];
  };
  // npm 11 ignores a page that is not in a list (tried).
  expect(man).toEqual(['./dist/man/recon.1']);
  expect(files).toContain('dist');
  expect(scripts['prepack']).toMatch(/ npm run --silent build$/);
  expect(scripts['build']).toContain('npm run --silent compile');
  expect(scripts['compile']).toContain('node scripts/write-man-page.mjs');
});

test('no line of text is read as a request of roff', () => {
  const known = /^\.(TH|SH|SS|TP|B|I|RI|PP|RS|RE|nf|fi)\b/;
  expect(page.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line))).toEqual([]);
});

const groff = needs.program('groff');
describe.skipIf(!groff.isMet)('rendered by groff', groff.orSkipped, () => {
  const rendered = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-cbou', '-rLL=100n'], {
    input: page,
    encoding: 'utf8',
  });

  test('there is no warning', () => {
    expect({ status: rendered.status, stderr: rendered.stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('it has every command, option, example and exit code', () => {
    const lines = rendered.stdout.split('\n').map((line) => line.trim());
    const begins = (start: string) => lines.some((line) => `${line} `.startsWith(`${start} `));
    for (const { name, options = [], examples } of commands) {
      expect(begins(`recon ${name}`), name).toBe(true);
      for (const [flags] of options) expect(begins(flags), `${name} ${flags}`).toBe(true);
      for (const example of examples) expect(lines).toContain(example);
    }
    for (const { flags } of globalOptions) expect(begins(flags), flags).toBe(true);
    for (const code of Object.values(exitCodes)) expect(begins(String(code)), String(code)).toBe(true);
    expect(lines[0]).toMatch(/^RECON\(1\) +User Commands +RECON\(1\)$/);
  });
});
