import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connect.js';
import { readPostmaster } from '../../src/db/embedded/postmaster-file.js';
import { stopServer } from '../../src/db/embedded/server-process.js';
import pino from 'pino';
import { holdWrites } from '../support/held-writes.js';
import { documentOf, factsOf, prepareNight, type SettlementNight } from '../support/settlement-night.js';

/** The database that comes with the program, in the data directory of a night. */
let night: SettlementNight;
const cluster = () => path.join(night.directory, 'data/database');

beforeEach(() => {
  night = prepareNight(undefined);
});

afterEach(async () => {
  if (existsSync(cluster())) await stopServer(cluster());
  night.end();
});

const openEmbedded = () =>
  openDatabase({ dataDirectory: path.join(night.directory, 'data') }, { logger: pino({ enabled: false }) });

async function stored(): Promise<Record<string, unknown>> {
  const database = await openEmbedded();
  try {
    return await factsOf(database.sql);
  } finally {
    await database.close();
  }
}

/** Each settlement record is there once, and no run is open. */
async function expectComplete(): Promise<void> {
  const facts = await stored();
  expect(facts['files']).toMatchObject([{ status: 'loaded' }, { status: 'loaded' }]);
  expect(facts['running']).toEqual([]);
  const records = facts['records'] as { name: string; line: number }[];
  expect(new Set(records.map(({ name, line }) => `${name}:${line}`)).size).toBe(records.length);
  expect(records.length).toBeGreaterThan(200);
}

test('F91 a data directory that several commands use at once, from its first moment on, is one database', async () => {
  const ended = await Promise.all([night.run(), night.run(), night.run()]);
  for (const run of ended) {
    expect([0, 1, 3], run.stdout + run.stderr).toContain(run.code);
    if (run.code === 3) expect(documentOf(run).error?.code).toBe('RUN_ACTIVE');
  }
  expect(ended.filter(({ code }) => code !== 3).length).toBeGreaterThan(0);
  expect(readPostmaster(cluster())).toBeUndefined();
  await expectComplete();
});

test('F91 killed at any moment of the first start: the next run recovers', { timeout: 120_000 }, async () => {
  for (const afterMs of [250, 500, 750, 1000]) {
    const child = night.start();
    const gone = new Promise((resolve) => child.once('exit', resolve));
    await sleep(afterMs);
    child.kill('SIGKILL');
    await gone;
  }
  expect([0, 1]).toContain((await night.run()).code);
  expect(readdirSync(path.join(night.directory, 'data')).filter((name) => name.includes('.new-'))).toEqual(
    [],
  );
  expect(readPostmaster(cluster())).toBeUndefined();
  await expectComplete();
});

test('F92 the server of a killed command is used by the next one, which also stops it', async () => {
  expect((await night.importPayments()).code).toBe(0);
  const killed = await night.run(undefined, { RECON_FAIL_AT: 'match.before' });
  expect(killed.signal).toBe('SIGKILL');
  const orphan = readPostmaster(cluster());
  expect(orphan?.status).toBe('ready');
  const next = await night.run();
  expect([0, 1], next.stdout + next.stderr).toContain(next.code);
  expect(readPostmaster(cluster())).toBeUndefined();
  await expectComplete();
});

test('F92 the server is killed together with its command: what was committed is there again', async () => {
  expect((await night.importPayments()).code).toBe(0);
  expect((await night.run(undefined, { RECON_FAIL_AT: 'load.commit.after' })).signal).toBe('SIGKILL');
  const orphan = readPostmaster(cluster());
  process.kill(orphan?.processId ?? 0, 'SIGKILL');
  const next = await night.run();
  expect([0, 1], next.stdout + next.stderr).toContain(next.code);
  await expectComplete();
});

test('the kernel kills a process of the server in a run: exit code 5 with the likely cause, and the next run is complete', async () => {
  const database = await openEmbedded();
  const held = await holdWrites(database.url, 'record_matches');
  const run = night.run();
  process.kill(await held.backend(), 'SIGKILL');
  const ended = await run;
  expect(ended.code).toBe(5);
  const { error } = documentOf(ended);
  expect(error?.code).toBe('DATABASE_EMBEDDED');
  expect(error?.message).toContain('was killed (signal 9), as Linux does when memory runs out');
  await held.release();
  await database.close();
  expect([0, 1]).toContain((await night.run()).code);
  await expectComplete();
});
