import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withTables } from '../scripts/write-readme-tables.js';

const readme = readFileSync(path.resolve(import.meta.dirname, '../README.md'), 'utf8');

test('the README lists every code as the catalogues have it', () => {
  expect(withTables(readme)).toBe(readme);
});

test('every link to a heading leads somewhere', () => {
  const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] ?? '');
  expect(links.filter((link) => !headings.includes(link))).toEqual([]);
});
