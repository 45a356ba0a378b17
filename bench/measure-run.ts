import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openMigrationSession } from '../src/db/connect.js';
import type { RunOutcome } from '../src/outcome.js';
import type { BenchServer, CommandCost } from './bench-server.js';
import { compareOutcomes } from './compare-outcomes.js';
import type { Dataset } from './generate.js';
import { measureProcess } from './measure-process.js';
import { runNativePipeline, type StageTimes } from './native-pipeline.js';
import { runPlainPipeline } from './plain-pipeline.js';
import { storedBytes } from './stored-bytes.js';

export interface RunMeasurement {
  /** What kind of data: `night`, `flood`, `short-ids` or `kind`. */
  readonly data: string;
  readonly rows: number;
  readonly payments: number;
  readonly run: CommandSummary & { readonly stages: StageTimes };
  /** Tables with their indexes, and the write-ahead log. */
  readonly storedBytesPerRow: number;
  readonly walBytesPerRow: number;
  readonly findings: number;
  readonly byCode: RunOutcome['discrepancies']['byCode'];
  readonly native: ReferenceMeasurement | null;
  readonly duckdb: (ReferenceMeasurement & { readonly peakBytes: number | null }) | null;
  readonly plain: { readonly rows: number; readonly elapsedMs: number } | null;
  /** Time of `recon run` divided by that of the native reference, in the same run of the bench. */
  readonly runToNative: number | null;
  readonly runToDuckdb: number | null;
  /** Time of the plain reference divided by that of `recon run`, per row. */
  readonly plainToRun: number | null;
}

interface ReferenceMeasurement {
  readonly elapsedMs: number;
  /** Of the reference and of the server it uses; null where there is no /proc. */
  readonly cpuMs: number | null;
  readonly stages: StageTimes;
}

export interface CommandSummary {
  readonly elapsedMs: number;
  readonly perSecond: number;
  readonly cpuMs: number | null;
  readonly serverCpuMs: number | null;
  readonly peakBytes: number | null;
}

export interface RunOptions {
  readonly data: string;
  readonly directory: string;
  /** Rows of the plain reference, which is slow; 0 leaves it out. */
  readonly plainRows: number;
  readonly references: boolean;
}

export function summarize(cost: CommandCost, things: number): CommandSummary {
  const { elapsedMs, cpuMs, serverCpuMs, peakBytes } = cost;
  return { elapsedMs, perSecond: Math.round((things / elapsedMs) * 1000), cpuMs, serverCpuMs, peakBytes };
}

/**
 * Runs one settlement day against the payments of database `template`: the real command, and on the same server in the
 * same run the references. Each runs on its own clone, so that none benefits from pages that another has read and
 * marked. The results are compared row by row before a number is returned.
 */
export async function measureRun(
  server: BenchServer,
  template: string,
  day: Dataset,
  options: RunOptions,
): Promise<RunMeasurement> {
  const onClone = async <T>(name: string, measure: (database: string) => Promise<T>): Promise<T> => {
    await server.clone(template, name);
    try {
      return await measure(name);
    } finally {
      await server.drop(name);
      rmSync(path.join(options.directory, name), { recursive: true, force: true });
    }
  };
  return onClone('day', async (database) => {
    const before = await storedBytes(server.url(database));
    const cost = await server.recon(database, ['run', '--file', day.settlementFile, '--as-of', '2026-11-20']);
    const after = await storedBytes(server.url(database));
    const run = { ...summarize(cost, day.rows), stages: stagesOf(cost.stderr) };
    const outcome = JSON.parse(cost.stdout) as RunOutcome;
    const native = options.references
      ? await onClone('native', (name) => measureNative(server, name, day, outcome))
      : null;
    const duckdb = options.references ? await measureDuckdb(day, outcome) : null;
    const plain =
      options.plainRows === 0
        ? null
        : await onClone('plain', (name) => measurePlain(server.url(name), day, outcome, options));
    return {
      data: options.data,
      rows: day.rows,
      payments: day.payments,
      run,
      storedBytesPerRow: (after.tables - before.tables) / day.rows,
      walBytesPerRow: (after.wal - before.wal) / day.rows,
      findings: outcome.discrepancies.total,
      byCode: outcome.discrepancies.byCode,
      native,
      duckdb,
      plain,
      runToNative: native === null ? null : run.elapsedMs / native.elapsedMs,
      runToDuckdb: duckdb === null ? null : run.elapsedMs / duckdb.elapsedMs,
      plainToRun: plain === null ? null : plain.elapsedMs / plain.rows / (run.elapsedMs / day.rows),
    };
  });
}

async function measureNative(server: BenchServer, database: string, day: Dataset, outcome: RunOutcome) {
  const url = server.url(database);
  const session = openMigrationSession(url);
  await session`checkpoint`;
  await session.end();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-bench-native-'));
  // The server writes into this folder, and runs as another account when we are root.
  chmodSync(directory, 0o777);
  try {
    const before = { cpu: process.cpuUsage(), serverMs: server.cpuMs() };
    const started = performance.now();
    const stages = await runNativePipeline(url, day, directory);
    const elapsedMs = performance.now() - started;
    const { user, system } = process.cpuUsage(before.cpu);
    const serverMs = server.cpuMs();
    const cpuMs =
      serverMs === null || before.serverMs === null
        ? null
        : serverMs - before.serverMs + (user + system) / 1000;
    await compareOutcomes(outcome, path.join(directory, 'native-reconciled.csv'));
    return { elapsedMs, cpuMs, stages };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const require = createRequire(import.meta.url);

function isInstalled(packageName: string): boolean {
  try {
    require.resolve(packageName);
    return true;
  } catch {
    return false;
  }
}

/** The time of its stages, so that the start of the process does not count; null where DuckDB is not installed. */
async function measureDuckdb(day: Dataset, outcome: RunOutcome) {
  if (!isInstalled('@duckdb/node-api')) {
    process.stderr.write('DuckDB is left out: npm install --no-save @duckdb/node-api@1.5.6-r.1\n');
    return null;
  }
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-bench-duckdb-'));
  try {
    const script = path.resolve('bench/duckdb-pipeline.ts');
    const args = ['--import', 'tsx', script, day.cleanFile, day.paymentsFile, directory];
    const cost = await measureProcess(process.execPath, args, {});
    if (cost.exitCode !== 0)
      throw new Error(`DuckDB ended with ${cost.exitCode}: ${cost.stderr.slice(-2000)}`);
    await compareOutcomes(outcome, path.join(directory, 'duckdb-reconciled.csv'));
    const stages = JSON.parse(cost.stdout) as StageTimes;
    const elapsedMs = Object.values(stages).reduce((sum, ms) => sum + ms, 0);
    return { elapsedMs, cpuMs: cost.cpuMs, stages, peakBytes: cost.peakBytes };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measurePlain(url: string, day: Dataset, outcome: RunOutcome, options: RunOptions) {
  const rows = Math.min(options.plainRows, day.rows);
  const output = path.join(options.directory, 'plain.csv');
  const { elapsedMs, accepted } = await runPlainPipeline(url, day.settlementFile, rows, output);
  await compareOutcomes(outcome, output, accepted);
  return { rows, elapsedMs };
}

/** `{"stage":"load","elapsedMs":12}` log lines, added up. */
export function stagesOf(log: string): StageTimes {
  const stages: Record<string, number> = {};
  for (const line of log.split('\n')) {
    if (!line.includes('"stage"')) continue;
    const entry = JSON.parse(line) as { stage?: string; elapsedMs?: number };
    if (entry.stage !== undefined) stages[entry.stage] = (stages[entry.stage] ?? 0) + (entry.elapsedMs ?? 0);
  }
  return stages;
}
