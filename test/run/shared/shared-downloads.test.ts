import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { fencedTransactions, type FencedTransactions } from '../../../src/db/fence.js';
import { finishDownload } from '../../../src/intake/claims/download-claim.js';
import { sharedSource } from '../../../src/intake/claims/shared-source.js';
import type { SharedReceiving } from '../../../src/intake/fetch/fetched-file.js';
import type { ReceivedBytes } from '../../../src/intake/fetch/receive-file.js';
import type { SftpSource } from '../../../src/remote/source-settings.js';
import { SharedDownloads } from '../../../src/run/shared/shared-downloads.js';
import { runId } from '../../../src/values/ids.js';
import { plainArchive } from '../../support/archive.js';
import { databaseForAllTests } from '../../support/database.js';
import { deferred, type Deferred } from '../../support/deferred.js';
import { folderForAllTests } from '../../support/test-folder.js';

/** Which downloads a run does itself, and which it leaves to workers: nothing is lost, and nothing is waited for. */

const run = runId(1);
/** Longer than any test. */
const leaseSeconds = 3600;
const source = {
  ...{ name: 'bank', protocol: 'sftp', host: 'bank.example', port: 22, username: 'merchant' },
  ...{ folder: '/', downloadsAtOnce: 2 },
  // What the run shares needs no more of a source than its name, address and limit.
} as unknown as SftpSource;
const key = sharedSource(source, null);

const testDatabase = databaseForAllTests();
let fenced: FencedTransactions;
const directory = folderForAllTests();

beforeAll(async () => {
  await testDatabase.database.sql`update run_fence set token = 7, run_id = 1`;
  fenced = fencedTransactions(testDatabase.database, { runId: run, token: 7n });
  await write(
    (
      tx,
    ) => tx`insert into runs (id, kind, status, fence_token, as_of, started_at, heartbeat_at, host, process_id)
      overriding system value values (1, 'run', 'running', 7, '2026-11-20', now(), now() + interval '1 day', 'test', 1)`,
  );
});

afterAll(() => fenced.end());

beforeEach(async () => {
  await write((tx) => tx`truncate file_downloads`);
  await testDatabase.database.sql`drop trigger if exists take on file_downloads`;
});

const write = <T>(work: (tx: Tx) => Promise<T>) => fenced.transact(work, 'what is committed');

/** Bytes in the archive of the run. */
async function archived(content: string): Promise<ReceivedBytes> {
  const archive = plainArchive(directory.path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const incoming = await archive.newIncoming();
  await incoming.write(Buffer.from(content));
  await incoming.end();
  await incoming.sync('the file');
  await incoming.close();
  await archive.keep(incoming, sha256);
  return { sha256, sizeBytes: content.length, modifiedAtMs: 1, stable: true };
}

/** Downloads of the run that end when the test says so. */
function startRun(hasWorker: () => boolean = () => true) {
  const downloads = new SharedDownloads({
    ...{ runId: run, transact: fenced.transact, archive: plainArchive(directory.path), leaseSeconds },
    ...{ signal: new AbortController().signal, logger: pino({ enabled: false }), clock: () => 0 },
    hasDownloaders: (asked) => Promise.resolve(asked === key && hasWorker()),
  });
  onTestFinished(() => downloads.end());
  const shared = downloads.of(source);
  if (shared === undefined) throw new Error('a network source can be shared');
  const here = new Map<string, Deferred>();
  const receive = (name: string) => receiveWith(shared, here, name);
  return { downloads, shared, here, receive };
}

function receiveWith(shared: SharedReceiving, here: Map<string, Deferred>, name: string) {
  const file = { name, path: `/${name}`, sizeBytes: 1, modifiedAtMs: 1, isRegular: true };
  const received = shared.receive({ file, maximumSizeBytes: 9, minimumAgeMs: 0 }, async () => {
    const ended = deferred();
    here.set(name, ended);
    await ended.promise;
    return archived(`here ${name}`);
  });
  received.catch(() => undefined);
  return received;
}

/** Tries again until it is so, however slow the machine is. */
const until = <T>(look: () => T) => expect.poll(look, { timeout: 30_000 });

/** What a worker reports about the second file, which it claimed when it was offered. */
const report = (received: ReceivedBytes) =>
  write((tx) => finishDownload(tx, { runId: run, place: 2, owner: 'w1', attempt: 1 }, received));

/** From now on, a worker has the second file of a run as soon as it is offered. */
async function workerTakesSecond(leaseUntil: string): Promise<void> {
  const { sql } = testDatabase.database;
  await sql.unsafe(`create or replace function take() returns trigger language plpgsql as $$ begin
      new.owner := 'w1'; new.attempt := 1; new.lease_until := now() + interval '${leaseUntil}'; return new; end $$;
    create or replace trigger take before insert on file_downloads for each row when (new.place = 2)
      execute function take()`);
}

test('without a worker, the run downloads every file itself and offers none', async () => {
  const { receive, here } = startRun(() => false);
  const both = [receive('1.csv'), receive('2.csv')];
  await until(() => [...here.keys()]).toEqual(['1.csv', '2.csv']);
  for (const ended of here.values()) ended.resolve();
  await Promise.all(both);
  expect(await testDatabase.database.sql`select from file_downloads`).toHaveLength(0);
});

test('a file that a worker downloaded into the archive of the run is not downloaded again', async () => {
  await workerTakesSecond('1 hour');
  const { receive, here } = startRun();
  const [first, second] = [receive('1.csv'), receive('2.csv')];
  await until(() => [...here.keys()]).toEqual(['1.csv']);
  const received = await archived('by the worker');
  await until(() => report(received)).toBe(true);
  expect(await second).toEqual(received);
  here.get('1.csv')?.resolve();
  expect((await first).sha256).toBe((await archived('here 1.csv')).sha256);
  expect([...here.keys()]).toEqual(['1.csv']);
});

test('if a worker archived elsewhere, the run downloads that file and all later ones itself', async () => {
  await workerTakesSecond('1 hour');
  const { receive, here } = startRun();
  const [first, second] = [receive('1.csv'), receive('2.csv')];
  const elsewhere = { sha256: 'f'.repeat(64), sizeBytes: 1, modifiedAtMs: 1, stable: true };
  await until(() => report(elsewhere)).toBe(true);
  await until(() => here.has('2.csv')).toBe(true);
  const third = receive('3.csv');
  await until(() => here.has('3.csv')).toBe(true);
  expect(await testDatabase.database.sql`select from file_downloads where place > 2`).toHaveLength(0);
  for (const ended of here.values()) ended.resolve();
  expect((await second).sha256).toBe((await archived('here 2.csv')).sha256);
  await Promise.all([first, third]);
});

test('the run takes over the file of a worker that is not heard from, and refuses what it still reports', async () => {
  await workerTakesSecond('-1 hour');
  const { receive, here } = startRun();
  const both = [receive('1.csv'), receive('2.csv')];
  await until(() => [...here.keys()]).toEqual(['1.csv', '2.csv']);
  expect(await report(await archived('late'))).toBe(false);
  for (const ended of here.values()) ended.resolve();
  const received = await Promise.all(both);
  expect(received[1]?.sha256).toBe((await archived('here 2.csv')).sha256);
});

test('a download that fails in the run fails the file, and one that is given up is withdrawn in the end', async () => {
  await workerTakesSecond('1 hour');
  const { downloads, receive, here, shared } = startRun();
  const [first, second] = [receive('1.csv'), receive('2.csv')];
  await until(() => here.has('1.csv')).toBe(true);
  here.get('1.csv')?.reject(new Error('the connection was lost'));
  await expect(first).rejects.toThrow('the connection was lost');
  shared.giveUp();
  await expect(second).rejects.toThrow('given up');
  await expect(receive('3.csv')).rejects.toThrow('given up');
  await downloads.end();
  expect(await report(await archived('late'))).toBe(false);
  expect(await testDatabase.database.sql`select from file_downloads`).toHaveLength(0);
});

test('files that are just being offered when the run ends are withdrawn too', async () => {
  const { sql } = testDatabase.database;
  await sql.unsafe(`create or replace function take() returns trigger language plpgsql as $$ begin
      perform pg_sleep(1); return new; end $$;
    create trigger take before insert on file_downloads for each row execute function take()`);
  const inProgress = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  const { downloads, receive } = startRun();
  const first = receive('1.csv');
  await until(inProgress).toHaveLength(1);
  await downloads.end();
  await expect(first).rejects.toThrow('given up');
  expect(await inProgress()).toHaveLength(0);
  expect(await sql`select from file_downloads`).toHaveLength(0);
});
