import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { holdWrites } from '../support/held-writes.js';
import {
  documentOf,
  factsOf,
  leftOversOf,
  prepareNight,
  reportsOf,
  type SettlementNight,
} from '../support/settlement-night.js';

/**
 * An administrator ends a session of a run (pg_terminate_backend): the step is undone as a whole, the run ends and says
 * so, and the next one ends as if nothing had happened.
 */
let own: TestDatabase;
let night: SettlementNight;
let baseline: { facts: Record<string, unknown>; reports: Record<string, string> };

async function setScene(): Promise<void> {
  own = await createTestDatabase();
  night = prepareNight(own.url);
  expect((await night.importPayments()).code).toBe(0);
}

async function endScene(): Promise<void> {
  await own.drop();
  night.end();
}

beforeAll(async () => {
  await setScene();
  expect((await night.runHere()).code).toBe(1);
  baseline = { facts: await factsOf(own.database.sql), reports: reportsOf(night) };
  await endScene();
});
beforeEach(setScene);
afterEach(endScene);

const terminate = (pid: number) => own.database.sql`select pg_terminate_backend(${pid}::int, 5000)`;

async function expectNextRunComplete(): Promise<void> {
  const next = await night.runHere();
  expect([0, 1]).toContain(next.code);
  expect(await factsOf(own.database.sql)).toEqual(baseline.facts);
  expect(reportsOf(night)).toEqual(baseline.reports);
  expect(leftOversOf(night)).toEqual([]);
}

test.each([
  ['in the middle of a COPY', 'settlement_records', 120],
  ['while files are registered', 'settlement_files', undefined],
  ['while matches are stored', 'record_matches', undefined],
  ['while discrepancies are stored', 'discrepancies', undefined],
] as const)('F81 a session ended %s', async (_when, table, line) => {
  const held = await holdWrites(own.url, table, line);
  const run = night.run();
  await terminate(await held.backend());
  const ended = await run;
  expect(ended.code).toBe(5);
  expect(documentOf(ended).error).toMatchObject({ code: 'DATABASE_FAILED' });
  const [stored] = await own.database.sql<{ n: number }[]>`select count(*)::int as n from settlement_records`;
  if (line !== undefined) expect(stored?.n).toBe(0);
  expect(await own.database.sql`select from runs where status = 'running'`).toHaveLength(0);
  await held.release();
  await expectNextRunComplete();
});

test('F81 a session ended between two statements of its transaction', async () => {
  const run = night.run();
  let ended = 0;
  while (ended === 0) {
    const result = await own.database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'
      limit 1`;
    ended = result.count;
  }
  expect((await run).code).toBe(5);
  await expectNextRunComplete();
});

test('F81 the session that holds the lock ended: the run stops, and another may begin', async () => {
  const held = await holdWrites(own.url, 'settlement_records', 120);
  const run = night.run();
  await held.backend();
  await own.database.sql`
    select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and objid <> 4711`;
  await held.release();
  const ended = await run;
  expect(ended.code).toBe(5);
  expect(documentOf(ended).error).toMatchObject({ code: 'RUN_REPLACED' });
  await expectNextRunComplete();
});

test('F81 every session ended at once', async () => {
  const held = await holdWrites(own.url, 'record_matches');
  const run = night.run();
  await held.backend();
  await own.database.sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'recon'`;
  expect((await run).code).toBe(5);
  await held.release();
  await expectNextRunComplete();
});

test.each([1, 2, 3, 4])('F81 the %i. session ended at its first statement', async (number) => {
  let seen = 0;
  const proxy = await startDatabaseProxy(own.url, (_statement, position) => {
    if (position > 1) return undefined;
    seen += 1;
    return seen === number ? 'terminated' : undefined;
  });
  const ended = await night.run(proxy.url);
  await proxy.close();
  expect(seen).toBeGreaterThanOrEqual(number);
  expect([1, 5], ended.stdout + ended.stderr).toContain(ended.code);
  await expectNextRunComplete();
});

test('F84 an error of the server in the middle of a COPY is reported within seconds and leaves no transaction open', async () => {
  await own.database.sql`alter table settlement_records add constraint unlucky check (line <> 120)`;
  const began = Date.now();
  const ended = await night.run();
  expect(Date.now() - began).toBeLessThan(5_000);
  expect(ended.code).toBe(5);
  const error = documentOf(ended).error;
  expect(error?.code).toBe('DATABASE_FAILED');
  expect(error?.message).toContain('23514, settlement_records_1, unlucky');
  expect(await own.database.sql`select from settlement_records`).toHaveLength(0);
  expect(
    await own.database.sql`select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`,
  ).toHaveLength(0);
  await own.database.sql`alter table settlement_records drop constraint unlucky`;
  await expectNextRunComplete();
});
