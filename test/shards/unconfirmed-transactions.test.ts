import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import { createClient } from '../../src/db/connection/create-client.js';
import { databaseUrl } from '../support/database-url.js';
import { installationOf } from './run-stories.js';
import { inSession, startThreeServers, type ThreeServers } from './three-servers.js';

/** A shard has rows of a transaction whose end only the home server knows. */
let three: ThreeServers;
let directory: string;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-unconfirmed-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** An installation with payments, and how many of them can be exported. */
async function withPayments() {
  const { home, a, b } = await three.createDivided();
  const installation = installationOf('demo', home, path.join(directory, path.basename(home)));
  expect((await installation.importPayments()).code).toBe(0);
  const exported = async () => {
    const file = path.join(directory, `${path.basename(home)}.csv`);
    rmSync(file, { force: true });
    expect((await installation.command('payments', 'export', file)).code).toBe(0);
    return readFileSync(file, 'utf8').split('\n').length;
  };
  return { ...installation, home, a, b, exported };
}

/** As if the home transaction of this number had stored the payments of a shard, which has committed them. */
const storedBy = (number: number) => `
  begin;
  set local recon.home_transaction = 'undo';
  update payments set home_transaction = ${number};
  insert into shard_writes values (${number});
  commit`;

test.each([
  ['commit', 0],
  ['rollback', 1],
])('what enters a shard waits for a home transaction in progress: %s', async (end, lessThan) => {
  const { home, b, exported, run } = await withPayments();
  const before = await exported();
  const writer = createClient(readDatabaseUrl(home), { max: 1, applicationName: 'writer' });
  await writer.unsafe(
    `begin; lock table shard_turn in access exclusive mode; insert into shard_transactions values (7)`,
  );
  await inSession(b, storedBy(7));
  let hasEnded = false;
  const running = run().finally(() => (hasEnded = true));
  const waiting = `select from pg_stat_activity where datname = '${path.basename(home)}' and wait_event_type = 'Lock'`;
  await expect
    .poll(() => inSession(databaseUrl(home, 'postgres'), waiting), { timeout: 30_000, interval: 50 })
    .not.toHaveLength(0);
  expect(hasEnded).toBe(false);
  await writer.unsafe(end);
  await writer.end();
  expect((await running).code).toBe(1);
  const after = await exported();
  if (lessThan === 0) expect(after).toBe(before);
  else expect(after).toBeLessThan(before);
});

test('the home server forgets a committed transaction once every shard knows it, and keeps only the last one', async () => {
  const { home, a, b, run, exported } = await withPayments();
  const before = await exported();
  for (const _run of [1, 2]) expect((await run()).code).toBeLessThan(2);
  const numbers = async (url: string, column: string, table: string) =>
    (await inSession(url, `select ${column} as number from ${table}`)).map(({ number }) => number);
  const [last, ...others] = await numbers(home, 'number', 'shard_transactions');
  expect(others).toEqual([]);
  for (const shard of [a, b]) {
    const unconfirmed = await numbers(shard, 'home_transaction', 'shard_writes');
    expect([last]).toEqual(expect.arrayContaining(unconfirmed));
  }
  expect(await exported()).toBe(before);
});
