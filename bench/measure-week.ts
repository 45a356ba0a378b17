import { rmSync } from 'node:fs';
import path from 'node:path';
import type { BenchServer } from './bench-server.js';
import { generateQuarter, quarterDate, quarterDays } from './generate-quarter.js';
import { stagesOf } from './measure-night.js';
import type { StageTimes } from './native-pipeline.js';

/** What a re-run of some days cost. */
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
 * One file of 90 days in no order, and then a re-run of one day and one of a week: findings of the whole quarter are
 * stored by then, and missing settlements are added by each re-run.
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
