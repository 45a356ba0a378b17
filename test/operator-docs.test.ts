import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runbookTables } from '../scripts/runbook-errors.js';
import { withTables } from '../scripts/write-readme-tables.js';
import { errorCatalogue, exitCodes } from '../src/errors.js';
import { faultMatrix } from './faults/fault-matrix.js';

const root = path.resolve(import.meta.dirname, '..');
const read = (page: string) => readFileSync(path.join(root, page), 'utf8');
const runbook = read('docs/runbook.md');
const promises = read('docs/promises.md');

describe('the runbook', () => {
  test('has the tables that the catalogues give', () => {
    expect(withTables(runbook, runbookTables)).toBe(runbook);
  });

  test('documents every error code, and no other', () => {
    const documented = [...runbook.matchAll(/^#### `([A-Z_]+)`$/gm)].map((match) => match[1]);
    expect(documented.sort()).toEqual(Object.keys(errorCatalogue).sort());
  });

  test('documents every exit code, and no other', () => {
    const table = /<!-- table: exit codes -->([^]*?)<!-- end -->/.exec(runbook)?.[1] ?? '';
    const documented = [...table.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(documented).toEqual(Object.values(exitCodes));
  });
});

describe('the promises', () => {
  test('name only tests that exist', () => {
    const named = promises.match(/test\/[\w/-]+(?:\.[\w-]+)*\.ts/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test('name only faults that are tested', () => {
    const tested = new Set(
      faultMatrix.filter(({ reason }) => reason === undefined).map(({ number }) => number),
    );
    const named = [...promises.matchAll(/\bF(\d+)\b/g)].map((match) => Number(match[1]));
    expect(named.filter((number) => !tested.has(number))).toEqual([]);
  });
});
