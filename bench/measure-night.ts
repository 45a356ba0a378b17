import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openMigrationSession } from '../src/db/connect.js';
import type { RunOutcome } from '../src/outcome.js';
import type { BenchServer, CommandCost } from './bench-server.js';
import { compareOutcomes } from './compare-outcomes.js';
import { generateNight, type Dataset } from './generate.js';
import { runNativePipeline, type StageTimes } from './native-pipeline.js';
import { runPlainPipeline } from './plain-pipeline.js';

export interface NightMeasurement {
  readonly rows: number;
  readonly payments: number;
  readonly run: CommandSummary & { readonly stages: StageTimes };
  readonly native: { readonly elapsedMs: number; readonly stages: StageTimes } | null;
  readonly plain: { readonly rows: number; readonly elapsedMs: number } | null;
  /** `recon run` divided by the native reference, of the same run of the bench. */
  readonly runToNative: number | null;
  /** The plain reference divided by `recon run`, per row. */
  readonly plainToRun: number | null;
}

export interface CommandSummary {
  readonly elapsedMs: number;
  readonly perSecond: number;
  readonly cpuMs: number | null;
  readonly serverCpuMs: number | null;
  readonly peakBytes: number | null;
}

export interface NightOptions {
  readonly cache: string;
  readonly directory: string;
  /** Rows of the plain reference, which is slow; 0 leaves it out. */
  readonly plainRows: number;
  readonly native: boolean;
}

export function summarize(cost: CommandCost, things: number): CommandSummary {
  const { elapsedMs, cpuMs, serverCpuMs, peakBytes } = cost;
  return { elapsedMs, perSecond: Math.round((things / elapsedMs) * 1000), cpuMs, serverCpuMs, peakBytes };
}

/**
 * One night against the payments of database `template`: the real command, and on the same server in the same
 * run the references, each on a clone of its own, so that none finds pages that another has read and marked. The
 * answers are compared row by row before a number is told.
 */
export async function measureNight(
  server: BenchServer,
  template: string,
  night: Dataset,
  options: NightOptions,
): Promise<NightMeasurement> {
  const onClone = async <T>(name: string, measure: (database: string) => Promise<T>): Promise<T> => {
    await server.clone(template, name);
    try {
      return await measure(name);
    } finally {
      await server.drop(name);
      rmSync(path.join(options.directory, name), { recursive: true, force: true });
    }
  };
  return onClone('night', async (database) => {
    const cost = await server.recon(database, [
      'run',
      '--file',
      night.settlementFile,
      '--as-of',
      '2026-11-20',
    ]);
    const run = { ...summarize(cost, night.rows), stages: stagesOf(cost.stderr) };
    const outcome = JSON.parse(cost.stdout) as RunOutcome;
    const native = options.native
      ? await onClone('native', (name) => measureNative(server.url(name), night, outcome))
      : null;
    const plain =
      options.plainRows === 0
        ? null
        : await onClone('plain', (name) => measurePlain(server.url(name), night, options));
    return {
      rows: night.rows,
      payments: night.payments,
      run,
      native,
      plain,
      runToNative: native === null ? null : run.elapsedMs / native.elapsedMs,
      plainToRun: plain === null ? null : plain.elapsedMs / plain.rows / (run.elapsedMs / night.rows),
    };
  });
}

async function measureNative(url: string, night: Dataset, outcome: RunOutcome) {
  const session = openMigrationSession(url);
  await session`checkpoint`;
  await session.end();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-bench-native-'));
  // The server writes into it, as another account when we are root.
  chmodSync(directory, 0o777);
  try {
    const started = performance.now();
    const stages = await runNativePipeline(url, night, directory);
    const elapsedMs = performance.now() - started;
    await compareOutcomes(outcome, path.join(directory, 'native-reconciled.csv'));
    return { elapsedMs, stages };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measurePlain(url: string, night: Dataset, options: NightOptions) {
  const rows = Math.min(options.plainRows, night.rows);
  const sample = await generateNight(options.cache, rows, night.payments);
  const output = path.join(options.directory, 'plain.csv');
  return { rows, elapsedMs: await runPlainPipeline(url, sample.settlementFile, output) };
}

/** `{"stage":"load","elapsedMs":12}` lines of the log, added up. */
export function stagesOf(log: string): StageTimes {
  const stages: Record<string, number> = {};
  for (const line of log.split('\n')) {
    if (!line.includes('"stage"')) continue;
    const entry = JSON.parse(line) as { stage?: string; elapsedMs?: number };
    if (entry.stage !== undefined) stages[entry.stage] = (stages[entry.stage] ?? 0) + (entry.elapsedMs ?? 0);
  }
  return stages;
}
