import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { metricCatalogue, metricNames } from '../../src/metrics/metric-catalogue.js';
import { runProgram } from '../../src/cli/program.js';
import type { Installation } from '../cli/installation.js';
import { Collector } from '../cli/recon.js';
import { nightForWorkers, runNight } from './worker-scene.js';

/** Starts a worker within this process, and waits until it listens and runs see it. */
async function startWithPort(installation: Installation) {
  const { directory, environment, database } = installation;
  installation.write('worker.yaml', 'worker: { adminPort: 0, filesAtOnce: 2 }\n');
  const [stdout, stderr] = [new Collector(), new Collector()];
  const stop = new AbortController();
  const ended = runProgram(['worker', '--config', 'worker.yaml'], {
    stdout,
    stderr,
    cwd: directory,
    environment,
    signal: stop.signal,
  });
  for (;;) {
    const [, url] = /"adminUrl":"([^"]+)"/.exec(stderr.text) ?? [];
    const seen = await database.database.sql`select from workers`;
    if (url !== undefined && seen.length > 0) return { url, stderr, stop, ended };
    await sleep(20);
  }
}

const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text();

test('a worker has probes, and metrics about itself, the queue and the other workers', async () => {
  const installation = await nightForWorkers(40);
  const { url, stderr, stop, ended } = await startWithPort(installation);
  for (const probe of ['livez', 'readyz']) expect((await fetch(`${url}/${probe}`)).status).toBe(200);
  expect((await runNight(installation)).code).toBe(1);
  const metrics = await metricsOf(url);
  const loaded = Number(/^recon_worker_files_total\{result="loaded"\} (\d+)$/m.exec(metrics)?.[1]);
  expect(loaded).toBeGreaterThan(0);
  expect(stderr.text.match(/"msg":"file loaded"/g)).toHaveLength(loaded);
  expect(metrics).toMatch(/^recon_files_waiting 0$/m);
  expect(metrics).toMatch(/^recon_workers\{version="same"\} 1$/m);
  const own = metricNames.filter((name) =>
    ['everywhere', 'process', 'worker'].includes(metricCatalogue[name].of),
  );
  const shown = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  expect(shown.sort()).toEqual([...own].sort());
  stop.abort();
  expect(await ended).toBe(130);
});

test('a worker shows that it refuses a run of another release as long as this run is active', async () => {
  const installation = await nightForWorkers(1);
  const { sql } = installation.database.database;
  expect((await runNight(installation)).code).toBe(1);
  const { url, stop, ended } = await startWithPort(installation);
  const refuses = async () => /^recon_worker_refuses_run (\d)$/m.exec(await metricsOf(url))?.[1];
  expect(await refuses()).toBe('0');
  for (const [status, shown] of [
    ['running', '1'],
    ['completed', '0'],
  ] as const) {
    await sql`update runs set status = ${status}, heartbeat_at = clock_timestamp(), version = '99.0.0'`;
    await sql`select pg_notify('recon_files', '')`;
    await expect.poll(refuses, { timeout: 20_000 }).toBe(shown);
  }
  stop.abort();
  expect(await ended).toBe(130);
});
