import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compiledChild } from '../support/compiled-child.js';

test('the young generation stays small while modules are loaded, keeps 8 MB in a run, has it again when it is busy after a wait, and grows in other commands', () => {
  const child = compiledChild(path.join(import.meta.dirname, 'young-generation-child.ts'));
  // What the child prints.
  const megabytes = JSON.parse(execFileSync(process.execPath, [child], { encoding: 'utf8' })) as {
    readonly held: number;
    readonly limited: number;
    readonly shrunk: number;
    readonly restored: number;
    readonly released: number;
  };
  expect(megabytes.held).toBeLessThan(8);
  expect(megabytes.limited).toBe(8);
  expect(megabytes.shrunk).toBeLessThan(8);
  expect(megabytes.restored).toBeGreaterThanOrEqual(8);
  expect(megabytes.released).toBeGreaterThan(8);
});
