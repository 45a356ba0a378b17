import { rmSync } from 'node:fs';
import path from 'node:path';
import type { BenchServer } from './bench-server.js';
import { generateQuarter, quarterDate, quarterDays } from './generate-quarter.js';
import { stagesOf } from './measure-run.js';
import type { StageTimes } from './native-pipeline.js';

/** The cost of a re-run of some days. */
export interface RerunCost {
  readonly days: number;
  readonly elapsedMs: number;
  readonly stages: StageTimes;
}

export interface WeekMeasurement {
  readonly storedRows: number;
  readonly payments: number;
  /** The run that loaded and matched the whole quarter. */
  readonly runMs: number;
  /** One day, then the seven days that end with it. */
  readonly reruns: readonly RerunCost[];
}

/**
 * Loads one file of 90 days in random order, and then runs one day and one week again. By then the findings of the
 * whole quarter are stored, and each re-run adds missing settlements.
 */
export async function measureWeek(
  server: BenchServer,
  rows: number,
  payments: number,
  { cache, directory }: { readonly cache: string; readonly directory: string },
): Promise<WeekMeasurement> {
  const quarter = await generateQuarter(cache, rows, payments);
  const database = 'quarter';
  const asOf = ['--as-of', '2026-11-20'];
  await server.create(database);
  await server.recon(database, ['payments', 'import', quarter.paymentsFile]);
  const run = await server.recon(database, ['run', '--file', quarter.settlementFile, ...asOf]);
  const reruns: RerunCost[] = [];
  const last = quarterDays - 30;
  for (const days of [1, 7]) {
    const range = ['--from', quarterDate(last - days + 1), '--to', quarterDate(last)];
    const cost = await server.recon(database, ['rerun', ...range, ...asOf]);
    reruns.push({ days, elapsedMs: cost.elapsedMs, stages: stagesOf(cost.stderr) });
  }
  await server.drop(database);
  rmSync(path.join(directory, database), { recursive: true, force: true });
  return { storedRows: rows, payments, runMs: run.elapsedMs, reruns };
}
