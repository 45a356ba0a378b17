import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runCli, startCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { folderForThisTest } from '../support/test-folder.js';

test('the demo says what it does before each step that takes long, also into a pipe', async () => {
  const child = startCli(['demo'], { cwd: folderForThisTest() });
  // Standard output of the child is a pipe here.
  const arrived: { line: string; atMs: number }[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    arrived.push(...lines.map((line) => ({ line, atMs: performance.now() })));
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  const steps = [
    /^Creating a PostgreSQL database/,
    /^Stored \d+ sample payments/,
    /^An SFTP server on 127\.0\.0\.1/,
    /^Running the reconciliation/,
    /^Run 1 completed/,
  ].map((step) => arrived.findIndex(({ line }) => step.test(line)));
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(steps[0]).toBe(0);
  const at = (step: number) => arrived[steps[step] ?? -1]?.atMs ?? NaN;
  // Each line is there before its step and not only at the end: the database and the run take longer than this.
  expect(at(1) - at(0)).toBeGreaterThan(200);
  expect(at(4) - at(3)).toBeGreaterThan(200);
  // Nothing is drawn on what is not a terminal.
  expect(arrived.map(({ line }) => line).join('\n')).not.toMatch(/[\r\u001b]/);
}, 180_000);

test('a demo whose run fails says why, and not that nothing was kept', async () => {
  const cwd = folderForThisTest();
  const child = startCli(['demo'], { cwd });
  const ended = once(child, 'close');
  const demoFolder = path.join(cwd, 'recon-demo');
  // The folder is empty when the demo begins. The run makes the folder of the reports at its end.
  while (!existsSync(path.join(demoFolder, 'database'))) await sleep(20);
  writeFileSync(path.join(demoFolder, 'reports'), '');
  const [printed, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect(printed).not.toContain('dry run');
  expect(errors).toMatch(
    /recon: run 1 failed: .*reports.*\n.* What it had stored is kept\. \(DISK_FAILED\)\n$/s,
  );
  expect(await ended).toEqual([6, null]);
}, 180_000);

test('the document of the demo has the exit code with which it ends', async () => {
  const { code, stdout } = await runCli(['demo', '--json'], { cwd: folderForThisTest() });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0 });
  expect(code).toBe(0);
}, 180_000);

const namespaces = needs.namespaces();

test.runIf(namespaces.isMet)(
  'a demo that cannot reach its server does not end as one that did',
  namespaces.orSkipped,
  async () => {
    const { code, stdout } = await runCli(['demo'], { cwd: folderForThisTest(), through: ['unshare', '-n'] });
    expect(stdout).toContain('SOURCE_UNREACHABLE');
    expect(code).toBe(4);
  },
);
