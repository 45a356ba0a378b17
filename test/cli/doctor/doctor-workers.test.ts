import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeWorkers } from '../../../src/cli/doctor/describe-workers.js';
import type { ListedWorker } from '../../../src/worker/worker-list.js';
import { createInstallation, settlementFile } from '../installation.js';
import { recon } from '../recon.js';

/** `recon doctor` knows of each worker what only that worker can see: whether its archive is that of the runs. */

test('the doctor names a worker that is there, one with another archive, one that was killed, and a lease that ended', async () => {
  const installation = await createInstallation();
  const { directory, environment, database } = installation;
  const { sql } = database.database;
  installation.write('recon.config.yaml', 'sources: [{ name: a, protocol: local, folder: ./a }]\n');
  installation.write('a/night.csv', settlementFile(1, 2));
  const workers = async () => {
    const { document } = await installation.json<{
      checks: { subject: string; message: string; code: string }[];
    }>('doctor');
    return document.checks.find(({ subject }) => subject === 'workers');
  };
  expect((await installation.recon('run', '--as-of', '2026-11-20')).code).toBe(0);
  expect(await workers()).toBeUndefined();

  const stop = new AbortController();
  const other = path.join(directory, 'other');
  const start = (dataDirectory: string) =>
    recon(['worker'], {
      cwd: directory,
      environment: { ...environment, RECON_DATA_DIR: dataDirectory },
      signal: stop.signal,
    });
  const ended = [start(installation.dataDirectory), start(other)];
  while ((await sql`select from workers where archive_checked_at is not null`).count < 2) await sleep(20);
  const found = await workers();
  expect(found).toMatchObject({ ok: false, code: 'ARCHIVE_NOT_SHARED' });
  expect(found?.message).toMatch(
    /^The worker on \S+ \(process \d+\) cannot read the archive: night\.csv is not in the archive of this worker[^\n]*$/,
  );
  stop.abort();
  const logs = await Promise.all(ended);
  expect(logs.map(({ stderr }) => stderr.includes('ARCHIVE_NOT_SHARED'))).toEqual([false, true]);
  expect(await workers()).toBeUndefined();

  await sql`insert into workers (id, host, process_id, version, files_at_once, started_at, seen_at)
    select 'gone', 'db-2', 7, '0.1.0', 2, now(), now() - interval '5 minutes'`;
  await sql`alter table file_claims disable trigger require_fence`;
  await sql`insert into file_claims (run_id, place, file_id, timezone, max_rejected_share, lease_seconds, owner, lease_until)
    values (1, 1, 1, 'UTC', 1, 60, 'gone', now() - interval '1 second')`;
  // One that is finished has no lease that could end.
  await sql`insert into file_claims (run_id, place, file_id, timezone, max_rejected_share, lease_seconds, owner, lease_until,
      finished_at)
    values (1, 2, 1, 'UTC', 1, 60, 'gone', now() - interval '1 second', now() - interval '1 minute')`;
  const after = await workers();
  expect(after).toMatchObject({ ok: true, code: null });
  expect(after?.message.split('\n')).toEqual([
    '0 workers are there',
    expect.stringMatching(
      /^Warning: The worker on db-2 \(process 7\) was last seen 5 minutes ago: it was killed/,
    ),
    expect.stringMatching(/^Warning: nobody loads night\.csv of run 1: the lease of its worker has ended/),
  ]);
});

test('the doctor compares the connections of all workers with the limit of the database', async () => {
  const installation = await createInstallation();
  const { sql } = installation.database.database;
  await sql`insert into workers (id, host, process_id, version, files_at_once, started_at, seen_at)
    values ('there', 'db-2', 7, '0.1.0', 2, now(), now() + interval '1 hour')`;
  const workers = async () => {
    const { document } = await installation.json<{ checks: { subject: string; message: string }[] }>(
      'doctor',
    );
    return document.checks.find(({ subject }) => subject === 'workers')?.message;
  };
  expect(await workers()).toBe('1 worker is there and can load 2 files at once');
  await sql.unsafe(`alter database ${installation.database.name} connection limit 19`);
  expect(await workers()).toMatch(/may open 20 connections at once, and the database allows 19 /);
});

test('a worker does not miss the bytes of a file that a purge has removed from the archive', async () => {
  const installation = await createInstallation();
  const { directory, environment, database, dataDirectory } = installation;
  const { sql } = database.database;
  for (const [name, payment] of [['kept.csv', 1] as const, ['purged.csv', 2] as const]) {
    const file = installation.write(name, settlementFile(payment));
    expect((await installation.recon('run', '--file', file, '--as-of', '2026-11-20')).code).toBe(0);
  }
  await sql`alter table settlement_files disable trigger require_fence`;
  const [purged] = await sql<{ sha256: string }[]>`
    update settlement_files set archive_removed_at = now() where name = 'purged.csv' returning sha256`;
  rmSync(path.join(dataDirectory, 'archive', purged?.sha256.slice(0, 2) ?? '', purged?.sha256 ?? ''));
  const stop = new AbortController();
  const worker = recon(['worker'], { cwd: directory, environment, signal: stop.signal });
  while ((await sql`select from workers where archive_checked_at is not null`).count === 0) await sleep(20);
  expect(await sql`select archive_problem from workers`).toEqual([{ archive_problem: null }]);
  stop.abort();
  expect((await worker).stderr).not.toContain('ARCHIVE_NOT_SHARED');
});

const worker = (changes: Partial<ListedWorker> = {}): ListedWorker => ({
  host: 'db-1',
  processId: 7,
  version: '1.0.0',
  filesAtOnce: 2,
  silentSeconds: 3,
  archiveProblem: null,
  ...changes,
});
const judge = (workers: ListedWorker[], connections = 97) =>
  judgeWorkers({ workers, lateFiles: [], connections }, '1.0.0');

test('workers of the same release with connections for all of them are fine', () => {
  expect(judge([])).toBeNull();
  expect(judge([worker()])).toBe('1 worker is there and can load 2 files at once');
  expect(judge([worker(), worker()])).toBe('2 workers are there and can load 4 files at once');
});

test.each([
  [
    'another version',
    [worker({ version: '0.9.0' })],
    97,
    'has version 0.9.0 and joins no run of version 1.0.0',
  ],
  [
    'too few connections',
    Array.from({ length: 8 }, () => worker({ filesAtOnce: 4 })),
    97,
    'may open 99 connections at once, and the database allows 97',
  ],
  [
    'several problems',
    [worker({ version: '0.9.0', archiveProblem: 'night.csv is not there.' })],
    97,
    'night.csv is not there.',
  ],
])('%s is wrong', (_what, workers, connections, message) => {
  expect(() => judge(workers, connections)).toThrow(
    expect.objectContaining({
      code: 'WORKER_UNUSABLE',
      message: expect.stringContaining(message) as unknown,
    }),
  );
});
