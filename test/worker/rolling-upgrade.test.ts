import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createInstallation, settlementFile, type Installation } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { startWorkers } from './workers.js';

/** While releases are mixed, a worker loads nothing of another release, in either direction, and says why. */

const night = async (): Promise<Installation> => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', 'sources: [{ name: a, protocol: local, folder: ./a }]\n');
  installation.write('a/night.csv', settlementFile(1, 2));
  return installation;
};

const migrations = 'drizzle.__drizzle_migrations';

test.each([
  [
    'older than the worker',
    `delete from ${migrations} where created_at = (select max(created_at) from ${migrations})`,
    'The database is older than this version of recon. These migrations are missing:',
  ],
  [
    'newer than the worker',
    `insert into ${migrations} (hash, created_at) select 'later', max(created_at) + 1 from ${migrations}`,
    'The database was migrated by a newer version of recon than this one.',
  ],
])('a worker does not start on a database that is %s', async (_what, change, reason) => {
  const { directory, environment, database } = await night();
  await database.database.sql.unsafe(change);
  const { code, stderr } = await recon(['worker'], { cwd: directory, environment });
  expect(code).toBe(5);
  expect(stderr).toContain(reason);
  expect(stderr).toContain('(DATABASE_SCHEMA)');
  expect((await database.database.sql`select from workers`).count).toBe(0);
});

test.each([
  ['a newer release', '99.0.0', 'which has version 99.0.0'],
  ['an older release', '0.0.1', 'which has version 0.0.1'],
  ['a release without workers', null, 'which is of a release without workers'],
])('a worker joins no run of %s, and joins the next one of its release', async (_what, version, reason) => {
  const installation = await night();
  const { sql } = installation.database.database;
  expect((await installation.recon('run', '--as-of', '2026-11-20')).code).toBe(0);
  await sql`update runs set status = 'running', heartbeat_at = clock_timestamp(), version = ${version}`;
  const workers = await startWorkers(installation, 1);
  await sql`update workers set started_at = clock_timestamp()`;
  await sql`select pg_notify('recon_files', '')`;
  while ((await sql`select from workers where seen_at > started_at`).count === 0) await sleep(20);
  await sql`update runs set status = 'completed'`;
  installation.write('a/next.csv', settlementFile(3, 4));
  const next = await installation.recon('run', '--as-of', '2026-11-21');
  expect(next.code, next.stderr).toBe(0);
  const [{ stderr } = { stderr: '' }] = await workers.stop();
  expect(stderr).toContain(`does not join run 1, ${reason}. Install the same release on both`);
  expect(stderr.match(/does not join/g)).toHaveLength(1);
  expect((await sql`select from settlement_files where status = 'loaded'`).count).toBe(2);
});
