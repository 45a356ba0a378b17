import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startBenchServer } from '../bench-server.js';
import { untilPresent, writeNight, type Night } from '../measure-workers.js';
import { countRecon, startCountedRecon } from './counted-recon.js';
import { restartCounted } from './counted-server.js';
import type { InstructionCounter } from './instruction-counter.js';

/** Longer than anything takes under a counter. */
const leaseSeconds = 1800;

/** Counts a run with this many workers. */
export async function countWorkers(
  counter: InstructionCounter,
  workers: number,
  night: Night,
  directory: string,
): Promise<Record<'run' | 'workers' | 'server', number>> {
  const folder = path.join(directory, `counted-${workers}-${night.rows}`);
  mkdirSync(folder);
  const database = 'workers';
  const server = await startBenchServer(folder);
  await server.create(database);
  const databaseUrl = server.url(database);
  const config = await writeNight(folder, night, leaseSeconds);
  const counted = await restartCounted(server, folder, database, counter);
  const environment = { databaseUrl, dataDirectory: path.join(folder, 'data') };
  const started = Array.from({ length: workers }, () =>
    startCountedRecon(counter, ['worker', '--config', config], environment),
  );
  await untilPresent(databaseUrl, workers);
  const run = await countRecon(counter, ['run', '--config', config, '--as-of', '2026-11-20'], environment);
  for (const worker of started) worker.stop();
  await Promise.all(started.map(({ ended }) => ended));
  const ofWorkers = started.reduce((sum, worker) => sum + worker.instructions(), 0);
  const ofServer = await counted.stop();
  rmSync(folder, { recursive: true });
  return { run, workers: ofWorkers, server: ofServer };
}
