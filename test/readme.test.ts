import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { inputFileTables } from '../scripts/input-file-tables.js';
import { codeTables, readmeTables, withTables } from '../scripts/write-readme-tables.js';

test.each([
  ['README.md', readmeTables],
  ['docs/codes.md', codeTables],
  ['docs/input-files.md', inputFileTables],
] as const)('%s has the tables that the catalogues give', (page, tables) => {
  const text = readFileSync(path.resolve(import.meta.dirname, '..', page), 'utf8');
  expect(withTables(text, tables)).toBe(text);
  for (const name of Object.keys(tables)) expect(text).toContain(`<!-- table: ${name} -->`);
});

test('docs/commands.md names every command', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../docs/commands.md'), 'utf8');
  const words = commands.map(({ name }) => name.split(' ').filter((word) => /^[a-z]/.test(word)));
  const missing = words
    .map((each) => `recon ${each.join(' ')}`)
    .filter((command) => !page.includes(`\`${command}`));
  expect(missing).toEqual([]);
});
