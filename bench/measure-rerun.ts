import { rmSync } from 'node:fs';
import path from 'node:path';
import type { BenchServer } from './bench-server.js';
import { generateParts } from './generate.js';
import { stagesOf } from './measure-run.js';
import type { StageTimes } from './native-pipeline.js';

export interface RerunMeasurement {
  readonly storedRows: number;
  readonly days: number;
  readonly rowsOfDay: number;
  /** Time of a re-run of one day with only that day stored. */
  readonly aloneMs: number;
  /** Time of the same re-run with a whole month stored. */
  readonly withinMonthMs: number;
  readonly stages: StageTimes;
}

/** Shows whether the cost of a re-run of one day depends on the records of that day or of the month. */
export async function measureRerun(
  server: BenchServer,
  template: string,
  month: { readonly rows: number; readonly lineOf: (i: number) => string },
  directory: string,
): Promise<RerunMeasurement> {
  const days = 30;
  const dates = Array.from({ length: days }, (_, day) => `2026-10-${(day + 1).toString().padStart(2, '0')}`);
  const inbox = path.join(directory, 'month');
  const files = await generateParts(inbox, month, days, dates);
  const day = 14;
  const rerun = async (database: string, loaded: readonly string[]) => {
    await server.clone(template, database);
    await server.recon(database, [
      'run',
      ...loaded.flatMap((file) => ['--file', file]),
      '--as-of',
      '2026-11-01',
    ]);
    const date = dates[day] ?? '';
    const cost = await server.recon(database, [
      'rerun',
      '--from',
      date,
      '--to',
      date,
      '--as-of',
      '2026-11-01',
    ]);
    await server.drop(database);
    rmSync(path.join(directory, database), { recursive: true, force: true });
    return cost;
  };
  const alone = await rerun('day', files.slice(day, day + 1));
  const within = await rerun('month', files);
  rmSync(inbox, { recursive: true, force: true });
  return {
    storedRows: month.rows,
    days,
    rowsOfDay: Math.ceil(month.rows / days),
    aloneMs: alone.elapsedMs,
    withinMonthMs: within.elapsedMs,
    stages: stagesOf(within.stderr),
  };
}
