import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { metricCatalogue, metricNames } from '../../src/metrics/metric-catalogue.js';
import { runProgram } from '../../src/cli/program.js';
import { Collector } from '../cli/recon.js';
import { nightForWorkers, runNight } from './worker-scene.js';

test('a worker has probes, and metrics about itself, the queue and the other workers', async () => {
  const installation = await nightForWorkers(12);
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
  const adminUrl = async (): Promise<string> => {
    for (;;) {
      const [, url] = /"adminUrl":"([^"]+)"/.exec(stderr.text) ?? [];
      const seen = await database.database.sql`select from workers`;
      if (url !== undefined && seen.length > 0) return url;
      await sleep(20);
    }
  };
  const url = await adminUrl();
  for (const probe of ['livez', 'readyz']) expect((await fetch(`${url}/${probe}`)).status).toBe(200);
  expect((await runNight(installation)).code).toBe(1);
  const metrics = await (await fetch(`${url}/metrics`)).text();
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
