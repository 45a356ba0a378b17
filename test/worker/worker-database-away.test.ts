import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { Collector } from '../cli/recon.js';
import { administer } from '../support/database.js';
import { nightForWorkers, runNight, storedBesideWorker } from './worker-scene.js';

test('a worker whose database is away for a while says so once, and then loads files again', async () => {
  const installation = await nightForWorkers(3);
  const { directory, environment } = installation;
  const { name, database } = installation.database;
  const [stdout, stderr, stop] = [new Collector(), new Collector(), new AbortController()];
  const ended = runProgram(['worker'], {
    stdout,
    stderr,
    cwd: directory,
    environment,
    signal: stop.signal,
  });
  while ((await database.sql`select from workers`).length === 0) await sleep(20);
  await administer(`alter database ${name} allow_connections false`);
  await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await expect.poll(() => stderr.text, { timeout: 20_000 }).toContain('cannot look for files');
  // It looks every five seconds.
  await sleep(6_000);
  expect(stderr.text).not.toContain('can be reached again');
  await administer(`alter database ${name} allow_connections true`);
  await expect.poll(() => stderr.text, { timeout: 20_000 }).toContain('The database can be reached again.');
  expect(stderr.text.match(/cannot look for files/g)).toHaveLength(1);

  await database.sql.unsafe(storedBesideWorker('night-00.csv'));
  expect((await runNight(installation)).code).toBe(1);
  stop.abort();
  expect(await ended).toBe(130);
  expect(stderr.text).toContain('"msg":"file loaded"');
  expect(stderr.text.match(/can be reached again/g)).toHaveLength(1);
});
