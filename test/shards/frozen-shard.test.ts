import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import { createClient } from '../../src/db/connection/create-client.js';
import { toReconError } from '../../src/db/database-errors.js';
import { watchShards } from '../../src/db/shards/watch-shards.js';
import { ReconError } from '../../src/errors.js';
import { createTestDatabase } from '../support/database.js';
import { databaseUrl } from '../support/database-url.js';
import { installationOf, refuseAtCommit, refuseNoMore } from './run-stories.js';
import { inSession, startThreeServers, type ThreeServers } from './three-servers.js';

/** A shard whose processes are suspended says nothing, while its kernel keeps every connection. */
let three: ThreeServers;
let directory: string;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-frozen-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

const installationOn = (home: string) =>
  installationOf('demo', home, path.join(directory, path.basename(home)));

/** Suspends every process of the server of shard b. */
function freezeB(): { readonly thaw: () => void } {
  const server = three.servers[2]?.pid ?? 0;
  const pids = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((ids) => ids.includes(server))
    .map(([pid = 0]) => pid);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  // First the one that would start others.
  signal('SIGSTOP');
  let isFrozen = true;
  const thaw = () => {
    if (isFrozen) signal('SIGCONT');
    isFrozen = false;
  };
  onTestFinished(thaw);
  return { thaw };
}

/** Sleeps before the first statement that stores results on a shard. */
const slow = (seconds: number) => `
  create function slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${seconds}); return null; end $$;
  create trigger slow before insert on record_matches for each statement execute function slow()`;
const slowNoMore = 'drop function slow() cascade';

const asleep = `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`;
const untilOne = (url: string, statement: string) =>
  expect.poll(() => inSession(url, statement), { timeout: 60_000, interval: 50 }).not.toHaveLength(0);

/** The reports of an installation on one server, whose first run was interrupted where it stores results. */
async function reportsAfterInterruption(): Promise<Record<string, string>> {
  const single = await createTestDatabase();
  const alone = installationOf('demo', single.url, path.join(directory, 'single'));
  await alone.importPayments();
  await inSession(single.url, refuseAtCommit('record_matches'));
  expect((await alone.run()).code).toBe(5);
  await inSession(single.url, refuseNoMore);
  await alone.run();
  const reports = alone.reports();
  await single.drop();
  return reports;
}

test('a shard that is suspended ends what waits for it, and afterwards everything continues', async () => {
  const expected = await reportsAfterInterruption();
  const running = await three.createDivided();
  const undivided = await three.create();
  const [installation, other] = [installationOn(running.home), installationOn(undivided.home)];
  for (const each of [installation, other]) await each.importPayments();
  for (const [name, url] of Object.entries({ a: undivided.a, b: undivided.b }))
    expect((await other.command('shards', 'add', '--name', name, '--url', url)).code).toBe(0);

  // A division between two statements, after the shard was asked; a run in the middle of a statement of the shard.
  // A session of recon would be an obstacle.
  const reader = createClient(readDatabaseUrl(undivided.home), { max: 1, applicationName: 'reader' });
  await reader.unsafe('begin; lock table payments in share mode');
  const division = other.command('shards', 'divide');
  await untilOne(
    databaseUrl(undivided.home, 'postgres'),
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = '${path.basename(undivided.home)}'`,
  );
  await inSession(running.b, slow(30));
  const run = installation.run();
  await untilOne(running.b, asleep);
  const { thaw } = freezeB();
  await reader.unsafe('commit');
  await reader.end();
  const [ran, divided, listed, checked] = await Promise.all([
    run,
    division,
    installation.command('items'),
    installation.command('doctor'),
  ]);
  for (const [what, each] of Object.entries({ ran, divided, listed })) {
    expect(each.code, what).toBe(5);
    expect(each.document.error, what).toMatchObject({ code: 'SHARD_UNREACHABLE' });
    expect(each.document.error?.message).toMatch(/^Shard b did not answer the home server for \d+ s/);
  }
  expect(checked.code).toBe(5);
  thaw();

  await inSession(running.b, slowNoMore);
  const completed = await installation.run();
  expect(completed.code, JSON.stringify(completed.document)).toBe(1);
  expect(installation.reports()).toEqual(expected);
  expect((await other.command('shards', 'divide')).code).toBe(0);
  expect((await other.run()).code).toBe(1);
}, 400_000);

test('a shard that works for long and answers others is not disturbed; one that is suspended is named', async () => {
  const { home, b } = await three.createDivided();
  await inSession(b, 'create view long_work as select pg_sleep(6)::text as slept');
  await inSession(home, 'create foreign table long_work (slept text) server recon_shard_b');
  const connect = () => createClient(readDatabaseUrl(home), { max: 1, applicationName: 'watched' });
  const sql = connect();
  const watch = watchShards(connect, { askAfterMs: 500, answerWithinMs: 2000 });
  onTestFinished(() => {
    watch.end();
  });
  const work = () => sql`select from long_work`.then(() => undefined, toReconError);
  expect(await work()).toBeUndefined();

  const frozen = work();
  await untilOne(b, asleep);
  const { thaw } = freezeB();
  const error = await frozen;
  thaw();
  const explained = watch.explain(error ?? new ReconError('INTERNAL_ERROR', 'It was not ended.'));
  expect(explained.code).toBe('SHARD_UNREACHABLE');
  expect(explained.message).toMatch(/^Shard b did not answer the home server for \d+ s, so the statement/);
  await sql.end();
}, 120_000);
