import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMigrationSession } from '../src/db/connect.js';
import type { BenchServer } from './bench-server.js';
import { startCountingRelay } from './counting-relay.js';
import { generateParts } from './generate.js';
import { processTimes } from './measure-process.js';
import { stagesOf } from './measure-run.js';

/** The rows of all files together. */
export interface Night {
  readonly rows: number;
  readonly lineOf: (i: number) => string;
}

/** They have as many rows each. */
const files = 16;

/** A run that has this many workers; 0: a run alone. */
export interface WorkersMeasurement {
  readonly workers: number;
  readonly rows: number;
  readonly files: number;
  /** From the first listing to the end of the last file. */
  readonly intakeMs: number;
  /** Matching, counting and reports, which the run does alone. */
  readonly restMs: number;
  /** CPU time of the run, of all workers, and of the database server. */
  readonly runCpuMs: number | null;
  readonly workersCpuMs: number | null;
  readonly serverCpuMs: number | null;
  /** Over the connections of the run and of all workers. */
  readonly bytesToServer: number;
  readonly bytesFromServer: number;
}

/**
 * Runs the same files with different numbers of workers, each with one file at once, on this machine. What it shows is
 * the cost of sharing: on a machine whose processors are all in use, workers cannot make a run faster.
 */
export async function measureWorkers(
  server: BenchServer,
  counts: readonly number[],
  night: Night,
  directory: string,
): Promise<WorkersMeasurement[]> {
  const config = await writeNight(directory, night);
  const measured: WorkersMeasurement[] = [];
  for (const workers of counts) {
    const database = `workers_${workers}`;
    await server.create(database);
    mkdirSync(path.join(directory, database), { recursive: true });
    const relay = await startCountingRelay(server.url(database));
    const helpers = await startWorkers(relay.url, path.join(directory, database), config, workers);
    const cost = await server.recon(
      database,
      ['run', '--config', config, '--as-of', '2026-11-20'],
      relay.url,
    );
    const workersCpuMs = await helpers.stop();
    relay.close();
    const { intake = 0, match = 0, count = 0, report = 0 } = stagesOf(cost.stderr);
    measured.push({
      workers,
      rows: night.rows,
      files,
      intakeMs: intake,
      restMs: match + count + report,
      runCpuMs: cost.cpuMs,
      workersCpuMs,
      serverCpuMs: cost.serverCpuMs,
      bytesToServer: relay.toServer(),
      bytesFromServer: relay.fromServer(),
    });
    await server.drop(database);
    rmSync(path.join(directory, database), { recursive: true, force: true });
  }
  return measured;
}

/**
 * Writes the files and a configuration with one file at once in each process. Returns the path of the configuration.
 */
export async function writeNight(directory: string, night: Night, leaseSeconds = 60): Promise<string> {
  const inbox = path.join(directory, 'inbox');
  await generateParts(inbox, night, files);
  const config = path.join(directory, 'workers.yaml');
  writeFileSync(
    config,
    `intake: { filesAtOnce: 1 }
worker: { filesAtOnce: 1, leaseSeconds: ${leaseSeconds} }
sources: [{ name: inbox, protocol: local, folder: ${inbox}, minimumAgeSeconds: 0 }]
`,
  );
  return config;
}

/** Waits until runs see this many workers. */
export async function untilPresent(databaseUrl: string, count: number): Promise<void> {
  const sql = openMigrationSession(databaseUrl);
  try {
    while ((await sql`select from workers`).count < count) await sleep(50);
  } finally {
    await sql.end();
  }
}

/** Starts workers, and waits until runs see them. `stop` returns the CPU time that they used since then. */
async function startWorkers(
  databaseUrl: string,
  dataDirectory: string,
  config: string,
  count: number,
): Promise<{ stop(): Promise<number | null> }> {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    RECON_DATABASE_URL: databaseUrl,
    RECON_DATA_DIR: dataDirectory,
  };
  const main = path.resolve('dist/cli/main.js');
  const processes = Array.from({ length: count }, () =>
    spawn(process.execPath, [main, 'worker', '--config', config], { env, stdio: 'ignore' }),
  );
  await untilPresent(databaseUrl, count);
  const cpu = () => processes.map(({ pid }) => processTimes(pid ?? 0)?.cpuMs ?? null);
  const before = cpu();
  return {
    stop: async () => {
      const after = cpu();
      await Promise.all(
        processes.map(
          (child) =>
            new Promise<void>((resolve) => {
              child.once('close', () => resolve());
              child.kill('SIGTERM');
            }),
        ),
      );
      return after.reduce<number | null>((sum, ms, index) => {
        const began = before[index] ?? null;
        return sum === null || ms === null || began === null ? null : sum + ms - began;
      }, 0);
    },
  };
}
