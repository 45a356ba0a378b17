import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import { createClient } from '../../src/db/connection/create-client.js';
import { openDatabase } from '../../src/db/connect.js';
import { fencedTransactions } from '../../src/db/fence.js';
import { runId } from '../../src/values/ids.js';
import { untilStopped } from '../faults/stopped-process.js';
import { startCli, watchCli } from '../support/cli.js';
import { databaseUrl } from '../support/database-url.js';
import { holdWrites } from '../support/held-writes.js';
import { untilSomebodyWaits } from '../support/until-somebody-waits.js';
import { installationOf } from './run-stories.js';
import { inSession, startThreeServers, type ThreeServers } from './three-servers.js';

/** What may happen before and while shards are added, removed and filled. */
let three: ThreeServers;
let directory: string;
let folders = 0;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-add-shard-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

const folder = () => path.join(directory, `data-${(folders += 1)}`);

test('another database of the home server can be a shard, whatever its name', async () => {
  const { home } = await three.create();
  await inSession(databaseUrl(home, 'postgres'), 'create database "100% of recon" template migrated');
  const installation = installationOf('demo', home, folder());
  const url = databaseUrl(home, '100%25%20of%20recon');
  const added = await installation.command('shards', 'add', '--name', 'beside', '--url', url);
  expect(added.document).toEqual({ added: 'beside', shards: 1 });
  expect((await installation.command('shards', 'list')).document).toMatchObject([
    { name: 'beside', database: '100% of recon' },
  ]);
  expect((await installation.command('migrate')).document).toEqual({ applied: [], shards: {} });
  expect((await installation.importPayments()).code).toBe(0);
  expect((await installation.run()).code).toBe(1);
  expect((await installation.command('shards', 'check')).code).toBe(0);
});

test('payments that are being imported while a shard is added stay on the home server', async () => {
  const { home, a } = await three.create();
  const installation = installationOf('demo', home, folder());
  const held = await holdWrites(home, 'payments');
  const imported = installation.importPayments();
  await held.backend();
  const added = installation.command('shards', 'add', '--name', 'a', '--url', a);
  await untilSomebodyWaits(home, 'AccessExclusiveLock');
  await held.release();
  expect((await imported).code).toBe(0);
  expect((await added).document).toEqual({ added: 'a', shards: 1, noted: true });
  expect((await installation.run()).code).toBe(1);
});

test('two shards that are added at once are both noted, one after the other', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  expect((await installation.importPayments()).code).toBe(0);
  const held = await holdWrites(home, 'audit_events');
  const add = (name: string, url: string) =>
    installation.command('shards', 'add', '--name', name, '--url', url);
  const first = add('a', a);
  await held.backend();
  const others = [add('b', b), add('a', b)];
  await untilSessionsWait(home, 3);
  await held.release();
  expect((await first).document).toEqual({ added: 'a', shards: 1, noted: true });
  const outcomes = await Promise.all(others);
  expect(outcomes.map(({ code }) => code)).toEqual([0, 5]);
  expect(outcomes[0]?.document).toEqual({ added: 'b', shards: 2, noted: true });
  expect(JSON.stringify(outcomes[1]?.document)).toContain('there is a shard of this name');
});

/** A session that holds the lock of a table until it commits. */
async function holdLock(home: string, table: string, mode: string) {
  const holder = createClient(readDatabaseUrl(home), { max: 1, applicationName: 'holder' });
  await holder.unsafe(`begin; lock table ${table} in ${mode} mode`);
  const commit = async () => {
    await holder.unsafe('commit');
    await holder.end();
  };
  return { holder, commit };
}

/** Waits until this many sessions of the database wait for a lock. Other tests use this server too. */
async function untilSessionsWait(home: string, sessions: number): Promise<void> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(() => inSession(home, waiting), { timeout: 20_000 }).toHaveLength(sessions);
}

test('payments that are stored on the shards while another one is added stay there', async () => {
  const { home, a, b } = await three.create();
  const { command, run } = installationOf('demo', home, folder());
  expect((await command('shards', 'add', '--name', 'a', '--url', a)).code).toBe(0);
  const { holder, commit } = await holdLock(home, 'shard_turn', 'access exclusive');
  const added = command('shards', 'add', '--name', 'b', '--url', b);
  await untilSessionsWait(home, 1);
  await holder.unsafe(`select enter_shards()`);
  await holder.unsafe(`insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
    select 'payment' || n, 'DB', 1, 'EUR', '000.000.000', now() from generate_series(1, 100) n`);
  await commit();
  await added;
  await run();
  expect(await inSession(home, 'select from payments')).toHaveLength(100);
});

test.each([
  ['the data is copied', 'payments', 'share', [0, undefined], [5, 'SHARD_INVALID']],
  [
    'a division waits for its turn',
    'shard_turn',
    'access exclusive',
    [2, 'DIVISION_REFUSED'],
    [0, undefined],
  ],
])(
  'while %s, a shard is not added, or the division is refused',
  async (_when, table, mode, division, addition) => {
    const { home, a, b } = await three.create();
    const { command, importPayments, run } = installationOf('demo', home, folder());
    expect((await importPayments()).code).toBe(0);
    expect((await command('shards', 'add', '--name', 'a', '--url', a)).code).toBe(0);
    const { commit } = await holdLock(home, table, mode);
    const divided = command('shards', 'divide');
    await untilSessionsWait(home, 1);
    const added = command('shards', 'add', '--name', 'b', '--url', b);
    await untilSessionsWait(home, 2);
    await commit();
    const outcome = async (said: typeof divided) => [(await said).code, (await said).document.error?.code];
    expect(await outcome(divided)).toEqual(division);
    expect(await outcome(added)).toEqual(addition);
    expect((await run()).code).toBeLessThan(2);
    expect((await command('shards', 'check')).code).toBe(0);
  },
);

test('a shard that is added after runs that stored nothing knows the last one', async () => {
  const { home, a } = await three.create();
  const installation = installationOf('demo', home, folder());
  for (const _run of [1, 2, 3]) expect((await installation.rerun()).code).toBe(0);
  expect((await installation.command('shards', 'add', '--name', 'a', '--url', a)).code).toBe(0);
  expect((await installation.command('shards', 'check')).code).toBe(0);
  expect((await installation.importPayments()).code).toBe(0);
  expect((await installation.run()).code).toBe(1);
});

test('a shard that only this machine can reach, and not the home server, is not added and stays as it is', async () => {
  const [home = '', shard = ''] = three.servers.map(
    ({ port }) => `postgres://recon@127.0.0.1:${port}/of_app`,
  );
  const server = databaseUrl(home, 'postgres');
  await inSession(server, `create role app login password 'secret'`);
  await inSession(server, 'create database of_app owner app');
  await inSession(databaseUrl(shard, 'postgres'), 'create database of_app template migrated');
  await inSession(home, 'create extension postgres_fdw');
  await inSession(home, 'grant usage on foreign data wrapper postgres_fdw to app');
  const installation = installationOf('demo', home.replace('recon@', 'app:secret@'), folder());
  expect((await installation.command('migrate')).code).toBe(0);
  // An ordinary user may not let the home server connect without a password.
  const added = await installation.command('shards', 'add', '--name', 'a', '--url', shard);
  expect(added.code).toBe(5);
  expect(added.document.error?.message).toContain('password');
  expect((await installation.command('shards', 'list')).document).toEqual([]);
  expect(await inSession(shard, `select to_regclass('shard_membership')::text as made`)).toEqual([
    { made: null },
  ]);
});

test('the audit log says who added and removed a shard, and who divided the data', async () => {
  const { home, a, b } = await three.create();
  const { command, importPayments } = installationOf('demo', home, folder());
  await importPayments();
  for (const [name, url] of Object.entries({ a, b }))
    expect((await command('shards', 'add', '--name', name, '--url', url, '--by', 'Kim')).code).toBe(0);
  expect((await command('shards', 'remove', 'b', '--by', 'Kim')).code).toBe(0);
  expect((await command('shards', 'divide', '--by', 'Kim')).code).toBe(0);
  const { document } = await command('audit', 'list', '--by', 'Kim');
  expect(document).toMatchObject([
    { action: 'shards.divided', subject: 'a', details: { payments: 374 } },
    { action: 'shard.removed', subject: 'b' },
    { action: 'shard.added', subject: 'b' },
    { action: 'shard.added', subject: 'a', details: { host: '127.0.0.1' } },
  ]);
});

test('a division that a person stops changes nothing, and the next one can store nothing for an earlier run', async () => {
  const { home, a } = await three.create();
  const data = folder();
  const { command, importPayments, run } = installationOf('demo', home, data);
  await importPayments();
  await run();
  expect((await command('shards', 'add', '--name', 'a', '--url', a)).code).toBe(0);
  const dividing = watchCli(
    startCli(['shards', 'divide', '--json'], {
      env: { RECON_DATABASE_URL: home, RECON_DATA_DIR: data, RECON_FAIL_AT: 'divide.table:1:stop' },
    }),
  );
  onTestFinished(() => dividing.kill('SIGKILL'));
  await untilStopped(dividing);
  dividing.kill('SIGTERM');
  dividing.kill('SIGCONT');
  expect((await dividing.ended).code).toBe(143);
  expect((await command('shards', 'list')).document).toMatchObject([{ state: 'noted' }]);

  const [fence] = await inSession(home, 'select token::text from run_fence');
  expect((await command('shards', 'divide')).code).toBe(0);
  const database = await openDatabase({ url: home }, { logger: pino({ enabled: false }) });
  const late = fencedTransactions(database, { runId: runId(1), token: BigInt(String(fence?.['token'])) });
  await expect(late.transact((tx) => tx`update settlement_files set name = name`)).rejects.toMatchObject({
    code: 'RUN_REPLACED',
  });
  await late.end();
  await database.close();
});
