import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { recon } from '../cli/recon.js';
import type { Installation } from '../cli/installation.js';
import { leftBy, nightOverFtp, nightOverSftp } from './remote-night.js';
import { startWorkers } from './workers.js';

/** Workers take part in the fetching. Whoever downloads a file, a run leaves the same. */

let alone: Awaited<ReturnType<typeof leftBy>>;

const run = async (installation: Installation) => {
  const ended = await installation.recon('run', '--as-of', '2026-11-20');
  expect(ended.code, ended.stderr).toBe(1);
  return ended;
};

const fetchedIn = (log: string) => [...log.matchAll(/"msg":"file fetched"/g)].length;

test('a run alone, for comparison', async () => {
  const installation = await nightOverSftp({ downloadsAtOnce: 1 });
  await run(installation);
  alone = await leftBy(installation);
  expect(alone.files).toHaveLength(13);
  // Its totals were downloaded too, and compared.
  expect(alone.files.find(({ name }) => name === 'night-03.csv')).toMatchObject({
    error_code: 'FILE_TOTALS_DIFFER',
  });
  expect(Object.keys(alone.outgoing)).toContain('done/night-13.csv');
});

test('two workers download files of a run, and everything is the same as without them', async () => {
  const installation = await nightOverSftp();
  const workers = await startWorkers(installation, 2);
  await run(installation);
  const ended = await workers.stop();
  expect(fetchedIn(ended.map(({ stderr }) => stderr).join(''))).toBeGreaterThan(0);
  expect(await leftBy(installation)).toEqual(alone);
});

test.each(['ftp', 'ftps'] as const)('two workers download files of a run over %s', async (protocol) => {
  const installation = await nightOverFtp(protocol);
  const workers = await startWorkers(installation, 2);
  await run(installation);
  const ended = await workers.stop();
  expect(fetchedIn(ended.map(({ stderr }) => stderr).join(''))).toBeGreaterThan(0);
  expect(await leftBy(installation)).toEqual(alone);
});

test('a worker without the source, or with another address of it, downloads nothing of it', async () => {
  const installation = await nightOverSftp();
  const { directory, environment, configuration, database } = installation;
  const without = configuration.slice(0, configuration.indexOf('sources:'));
  installation.write('without.yaml', without);
  installation.write('other.yaml', configuration.replace('folder: /,', 'folder: /elsewhere,'));
  const stop = new AbortController();
  const workers = ['without.yaml', 'other.yaml'].map((file) =>
    recon(['worker', '--config', path.join(directory, file)], {
      cwd: directory,
      environment,
      signal: stop.signal,
    }),
  );
  while ((await database.database.sql`select from workers`).count < 2) await sleep(20);
  await run(installation);
  stop.abort();
  const logs = (await Promise.all(workers)).map(({ stderr }) => stderr).join('');
  expect(fetchedIn(logs)).toBe(0);
  expect(logs).toContain('"msg":"file loaded"');
  expect(await leftBy(installation)).toEqual(alone);
});

test('a worker that the server does not let in hands its files back, and tries no second time', async () => {
  const installation = await nightOverSftp();
  const { directory, environment, configuration, database } = installation;
  installation.write('wrong.yaml', configuration.replace('password: secret', 'password: wrong'));
  const stop = new AbortController();
  const worker = recon(['worker', '--config', path.join(directory, 'wrong.yaml')], {
    cwd: directory,
    environment,
    signal: stop.signal,
  });
  while ((await database.database.sql`select from workers`).count < 1) await sleep(20);
  await run(installation);
  stop.abort();
  const { stderr } = await worker;
  expect(stderr).toMatch(/"code":"SOURCE_AUTHENTICATION".*The file was handed back/);
  expect([...stderr.matchAll(/downloads nothing more from this source/g)]).toHaveLength(1);
  expect(await leftBy(installation)).toEqual(alone);
});

test('what a worker archived elsewhere is downloaded by the run', async () => {
  const installation = await nightOverSftp();
  const { directory, environment, database } = installation;
  const stop = new AbortController();
  const worker = recon(['worker'], {
    cwd: directory,
    environment: { ...environment, RECON_DATA_DIR: path.join(directory, 'other') },
    signal: stop.signal,
  });
  while ((await database.database.sql`select from workers`).count < 1) await sleep(20);
  const { stderr } = await run(installation);
  stop.abort();
  expect(fetchedIn((await worker).stderr)).toBeGreaterThan(0);
  expect(stderr).toMatch(/"code":"ARCHIVE_NOT_SHARED".*The run downloads it itself/);
  expect(await leftBy(installation)).toEqual(alone);
});

test.each(['incoming', 'archive'])(
  'a worker that cannot write to %s downloads nothing, and says why',
  async (folder) => {
    const installation = await nightOverSftp();
    const { directory, environment, database } = installation;
    // Not a folder: an account of root could write to a folder that is read-only.
    installation.write(`data-of-worker/${folder}`, '');
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const worker = recon(['worker'], {
      cwd: directory,
      environment: { ...environment, RECON_DATA_DIR: path.join(directory, 'data-of-worker') },
      signal: stop.signal,
    });
    const { sql } = database.database;
    while ((await sql`select from workers`).count < 1) await sleep(20);
    expect(await sql`select sources from workers`).toEqual([{ sources: [] }]);
    stop.abort();
    expect((await worker).stderr).toContain('This worker downloads nothing, because it cannot write');
  },
);
