import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openMigrationSession } from '../../src/db/connect.js';
import { startCli, watchCli, type WatchedCli } from '../support/cli.js';
import { startFreezableServer } from '../support/frozen-server.js';
import { delayedFirstFile, nightForWorkers } from './worker-scene.js';

/** A database that does not answer any more does not keep a worker from stopping. */

/** Waits until the database has a row like this. */
async function untilThere(url: string, query: string): Promise<void> {
  const session = openMigrationSession(url);
  while ((await session.unsafe(query)).length === 0) await sleep(20);
  await session.end();
}

function start(args: readonly string[], options: Parameters<typeof startCli>[1]): WatchedCli {
  const started = watchCli(startCli(args, options));
  onTestFinished(() => started.kill('SIGKILL'));
  return started;
}

test('a worker without work stops', async () => {
  const [installation, server] = [await nightForWorkers(1), await startFreezableServer()];
  const options = {
    cwd: installation.directory,
    env: { ...installation.environment, RECON_DATABASE_URL: server.url },
  };
  const worker = start(['worker'], options);
  await untilThere(server.url, 'select from workers');
  server.freeze();
  // It looks for a run every five seconds, and does not get an answer.
  await sleep(5_500);
  worker.kill('SIGTERM');
  expect((await worker.ended).code).toBe(143);
}, 120_000);

test('a worker that is loading files stops', async () => {
  const [installation, server] = [await nightForWorkers(6), await startFreezableServer()];
  const options = {
    cwd: installation.directory,
    env: { ...installation.environment, RECON_DATABASE_URL: server.url },
  };
  const session = openMigrationSession(server.url);
  await session.unsafe(delayedFirstFile(60));
  await session.end();
  const worker = start(['worker'], options);
  await untilThere(server.url, 'select from workers');
  start(['run', '--as-of', '2026-11-20'], options);
  await untilThere(server.url, `select from file_claims where owner not like 'run-%'`);
  server.freeze();
  await sleep(5_500);
  worker.kill('SIGTERM');
  expect((await worker.ended).code).toBe(143);
}, 120_000);
