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
  const { home, b } = await three.createDivided();
  const installation = installationOf('demo', home, path.join(directory, path.basename(home)));
  expect((await installation.importPayments()).code).toBe(0);
  const exported = async () => {
    const file = path.join(directory, `${path.basename(home)}.csv`);
    rmSync(file, { force: true });
    expect((await installation.command('payments', 'export', file)).code).toBe(0);
    return readFileSync(file, 'utf8').split('\n').length;
  };
  return { ...installation, home, b, exported };
}

/** As if this home transaction had stored the payments of a shard, which has committed them. */
const storedBy = (transaction: string) => `
  begin;
  set local recon.home_xid = 'undo';
  update payments set home_xid = ${transaction};
  insert into shard_writes values (${transaction});
  commit`;

test.each([
  ['commit', 0],
  ['rollback', 1],
])('what enters a shard waits for a home transaction in progress: %s', async (end, lessThan) => {
  const { home, b, exported, run } = await withPayments();
  const before = await exported();
  const writer = createClient(readDatabaseUrl(home), { max: 1, applicationName: 'writer' });
  const [row] = await writer
    .unsafe<{ id: string }[]>('begin; select pg_current_xact_id()::text as id')
    .then((results) => results.flat());
  await inSession(b, storedBy(row?.id ?? ''));
  let hasEnded = false;
  const running = run().finally(() => (hasEnded = true));
  const sleeping = `select from pg_stat_activity where datname = '${path.basename(home)}' and wait_event = 'PgSleep'`;
  await expect
    .poll(() => inSession(databaseUrl(home, 'postgres'), sleeping), { timeout: 30_000, interval: 50 })
    .not.toHaveLength(0);
  expect(hasEnded).toBe(false);
  await writer.unsafe(end);
  await writer.end();
  expect((await running).code).toBe(1);
  const after = await exported();
  if (lessThan === 0) expect(after).toBe(before);
  else expect(after).toBeLessThan(before);
});

test('a transaction that the home server cannot judge is refused, and what it stored is kept', async () => {
  const { b, exported, run, command } = await withPayments();
  const before = await exported();
  // The home server has forgotten how its first transactions ended, and no transaction has the number 0.
  await inSession(b, storedBy('0'));
  const refused = await run();
  expect(refused).toMatchObject({ code: 5, document: { error: { code: 'SHARD_INVALID' } } });
  const [kept] = await inSession(b, 'select count(*)::integer as payments from payments where home_xid = 0');
  expect(kept?.['payments']).toBeGreaterThan(0);
  await inSession(b, 'delete from shard_writes');
  expect((await run()).code).toBe(1);
  expect(await exported()).toBe(before);
  expect((await command('shards', 'check')).code).toBe(0);
});
