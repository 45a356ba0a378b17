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

test('where V8 keeps the young generation smaller, as in a container of 512 MB, a run does not try to enlarge it again and again', () => {
  const child = compiledChild(path.join(import.meta.dirname, 'small-young-generation-child.ts'));
  const text = execFileSync(process.execPath, ['--max-semi-space-size=1', child], { encoding: 'utf8' });
  const { collections } = JSON.parse(text) as { readonly collections: number };
  // 1,760 for the work of the child; 16,000 when each tenth of a second tried to reach 8 MB.
  expect(collections).toBeGreaterThan(1000);
  expect(collections).toBeLessThan(4000);
});

test('a process that has nothing to do looks at its memory ever more rarely', () => {
  const child = compiledChild(path.join(import.meta.dirname, 'idle-heap-child.ts'));
  const { looks } = JSON.parse(execFileSync(process.execPath, [child], { encoding: 'utf8' })) as {
    readonly looks: number;
  };
  // After 0.1, 0.3, 0.7 and 1.5 seconds, and then once a second; 50 when it looked ten times a second.
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(15);
});
