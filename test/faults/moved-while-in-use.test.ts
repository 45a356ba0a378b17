import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openAndMigrate, openMigrationSession } from '../../src/db/connect.js';
import { nextFileId } from '../../src/db/parts/record-parts.js';
import { createInstallation, paymentsFile, settlementFile } from '../cli/installation.js';
import { payment, serve } from '../http/served.js';
import { startCli, watchCli } from '../support/cli.js';
import { createEmptyDatabase } from '../support/database.js';
import { deferred } from '../support/deferred.js';
import { holdWrites } from '../support/held-writes.js';
import { untilSomebodyWaits } from '../support/until-somebody-waits.js';
import { untilStopped } from './stopped-process.js';

const logger = pino({ enabled: false });

/** A database is moved while programs write to it: nothing that they store stays behind in the old one. */

/** How many rows a table of a database has. */
async function rowsIn(url: string, table: string): Promise<number> {
  const session = openMigrationSession(url);
  try {
    const [row] = await session<{ rows: number }[]>`select count(*)::integer as rows from ${session(table)}`;
    return row?.rows ?? 0;
  } finally {
    await session.end();
  }
}

const paymentsIn = (url: string) => rowsIn(url, 'payments');

test('payments that are being stored when a move begins are moved too', async () => {
  const installation = await createInstallation();
  const { url } = installation.database;
  const to = await createEmptyDatabase();
  const held = await holdWrites(url, 'payments');
  const imported = installation.recon('payments', 'import', installation.write('p.csv', paymentsFile(1, 2)));
  await held.backend();
  const moved = installation.recon('move', '--to', to);
  await untilSomebodyWaits(url, 'ShareRowExclusiveLock');
  await held.release();
  expect((await imported).code).toBe(0);
  expect(await moved).toMatchObject({ code: 0, stderr: '' });
  expect(await paymentsIn(to)).toBe(2);
});

test('a large file that is being stored when a move begins, although its run has lost its lock, is moved too', async () => {
  const installation = await createInstallation();
  const { directory, environment, database } = installation;
  const to = await createEmptyDatabase();
  installation.write('recon.config.yaml', 'largeFileBytes: 3000\n');
  const file = installation.write('large.csv', settlementFile(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  const env = { ...environment, RECON_FAIL_AT: 'load.commit.before:1:stop' };
  const run = watchCli(startCli(['run', '--file', file], { env, cwd: directory }));
  onTestFinished(() => run.kill('SIGKILL'));
  await untilStopped(run);
  await database.database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'recon run 1'`;
  const moved = installation.recon('move', '--to', to);
  await untilSomebodyWaits(database.url, 'ShareRowExclusiveLock');
  run.kill('SIGCONT');
  expect(await moved).toMatchObject({ code: 0, stderr: '' });
  expect((await run.ended).code).toBe(5);
  expect([await rowsIn(database.url, 'settlement_records'), await rowsIn(to, 'settlement_records')]).toEqual([
    10, 10,
  ]);
});

test('a file that is being registered when a move begins is moved too, with the part for its records', async () => {
  const installation = await createInstallation();
  const { url, database } = installation.database;
  const to = await createEmptyDatabase();
  const first = installation.write('first.csv', settlementFile(1));
  expect((await installation.recon('run', '--file', first)).code).toBe(0);
  const registered = deferred();
  // A run that has lost its lock does the same.
  const registering = database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    const id = await nextFileId(tx, { timesLarge: Infinity, month: '2026-11-01' });
    await registered.promise;
    await tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      values (${id}, 'sha256', 'bank', 'second.csv', 1, 'received', now(), 1)`;
  });
  const moved = installation.recon('move', '--to', to);
  await untilSomebodyWaits(url, 'ShareRowExclusiveLock');
  registered.resolve();
  await registering;
  expect(await moved).toMatchObject({ code: 0, stderr: '' });
  expect(await Promise.all(['settlement_files', 'record_parts'].map((table) => rowsIn(to, table)))).toEqual(
    await Promise.all(['settlement_files', 'record_parts'].map((table) => rowsIn(url, table))),
  );
  expect(await rowsIn(to, 'settlement_files')).toBe(2);
});

test('an import that waits while the database is moved is refused, and stores nothing in the old database', async () => {
  const installation = await createInstallation();
  const { url } = installation.database;
  const to = await createEmptyDatabase();
  await openAndMigrate({ url: to }, { logger });
  // The move waits for this lock, and the import for those of the move.
  const holder = openMigrationSession(to);
  await holder`begin`;
  await holder`lock table decisions in access exclusive mode`;
  const moved = installation.recon('move', '--to', to);
  await untilSomebodyWaits(to, 'AccessShareLock');
  const imported = installation.recon('payments', 'import', installation.write('p.csv', paymentsFile(1, 2)));
  await untilSomebodyWaits(url, 'RowExclusiveLock');
  await holder.end();
  expect(await moved).toMatchObject({ code: 0, stderr: '' });
  const refused = await imported;
  expect(refused.code).toBe(5);
  expect(refused.stderr).toMatch(/it was moved to \S+.*DATABASE_MOVED/s);
  expect([await paymentsIn(url), await paymentsIn(to)]).toEqual([0, 0]);
});

test('a gateway that keeps running after its database was moved refuses payments', async () => {
  const gateway = await serve();
  try {
    expect((await gateway.call('POST', '/v1/payments', payment('DB'))).status).toBe(200);
    const to = await createEmptyDatabase();
    expect(await gateway.recon('move', '--to', to)).toMatchObject({ code: 0, stderr: '' });
    expect((await gateway.call('POST', '/v1/payments', payment('DB'))).status).toBe(503);
    expect(gateway.stderr()).toMatch(/"DATABASE_MOVED".*it was moved to /);
    expect(await paymentsIn(gateway.database.url)).toBe(1);
    // A later release migrates the old database before the content comes back.
    const migration = openMigrationSession(gateway.database.url);
    await migration`update payments set currency = 'USD'`;
    await migration.end();
    expect(await paymentsIn(to)).toBe(1);
  } finally {
    await gateway.close();
  }
});
