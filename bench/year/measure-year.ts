import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { openMigrationSession } from '../../src/db/connect.js';
import type { RunOutcome } from '../../src/outcome.js';
import type { BenchServer, CommandCost } from '../bench-server.js';
import { stagesOf } from '../measure-run.js';
import type { StageTimes } from '../native-pipeline.js';
import { planLogging, savePlans } from '../save-plans.js';
import { fillYear, realDays } from './fill-year.js';
import { earlierPayments, morningPayments } from './morning-payments.js';
import { dateAfter, shiftedDay, type Day, type DaySize } from './shifted-day.js';

/** One command, in a database that holds nothing else and in one that holds a year. */
export interface GrowthStep {
  readonly what: string;
  /** Null for what makes no sense in an empty database. */
  readonly first: StepCost | null;
  readonly withYear: StepCost;
  /** CPU time of recon and of the server with a year, divided by that without. */
  readonly ratio: number | null;
}

export interface StepCost {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly serverCpuMs: number;
  readonly stages: StageTimes;
  /** Findings of a run or re-run; null for other commands. */
  readonly findings: number | null;
  readonly openItems: number | null;
}

export interface YearMeasurement {
  readonly days: number;
  readonly rowsOfDay: number;
  readonly paymentsOfDay: number;
  readonly databaseBytes: number;
  /** The parts of the records: tables of large files, and those of the small files of a month. */
  readonly tables: number;
  readonly steps: readonly GrowthStep[];
}

export interface YearOptions {
  readonly days: number;
  readonly size: DaySize;
  readonly seed: number;
  /** As in the configuration of the server's commands: days of this size get their own tables. */
  readonly largeFileBytes: number;
  readonly directory: string;
  /** Saves the plans of the measured commands here, and measures more slowly. */
  readonly plansDirectory: string | null;
  readonly say: (text: string) => void;
}

/**
 * Shows whether a day's work costs what that day holds or what is stored. The year consists of one day that was
 * imported and matched, copies of it, and seven days that the product took in one after the other ({@link fillYear}).
 */
export async function measureYear(server: BenchServer, options: YearOptions): Promise<YearMeasurement> {
  const { directory, size, seed, days, largeFileBytes, say } = options;
  const data = path.join(directory, 'days');
  const made = new Map<number, Promise<Day>>();
  const dayBefore = (daysEarlier: number) => {
    const day = made.get(daysEarlier) ?? shiftedDay(data, size, { daysEarlier, seed });
    made.set(daysEarlier, day);
    return day;
  };
  const night = await dayBefore(0);
  // Both have the same payments of the night, and import those that are settled later.
  const morning = await morningPayments(data, dayBefore, 0);
  const first = await measureFirst(
    server,
    { ...night, paymentsFile: morning },
    await earlierPayments(data, dayBefore, 0),
    options,
  );
  say('the first night is measured; filling a year\n');
  await server.create('year');
  const session = openMigrationSession(server.url('year'));
  try {
    const oldest = await fillYear({
      server,
      database: 'year',
      session,
      dayBefore,
      days,
      largeFileBytes,
      say,
      directory: data,
    });
    if (options.plansDirectory !== null) await logPlans(session);
    const [stored] = await session<{ bytes: number; tables: number }[]>`
      select pg_database_size(current_database())::float8 as bytes,
        (select count(*)::integer from record_parts) as tables`;
    const withYear = await measureCommands(
      server,
      'year',
      { ...night, paymentsFile: morning },
      oldest,
      options,
    );
    const steps = Object.entries(withYear).map(([what, cost]) => {
      const alone = first[what] ?? null;
      return {
        what,
        first: alone,
        withYear: cost,
        ratio: alone === null ? null : total(cost) / total(alone),
      };
    });
    const { rows: rowsOfDay, payments: paymentsOfDay } = size;
    const { bytes: databaseBytes = 0, tables = 0 } = stored ?? {};
    return { days, rowsOfDay, paymentsOfDay, databaseBytes, tables, steps };
  } finally {
    await session.end();
    await server.drop('year');
    rmSync(data, { recursive: true, force: true });
  }
}

const total = ({ cpuMs, serverCpuMs }: StepCost) => cpuMs + serverCpuMs;

/** @param earlier the payments that were imported on the mornings before */
async function measureFirst(server: BenchServer, night: Day, earlier: string, options: YearOptions) {
  await server.create('first');
  await server.recon('first', ['payments', 'import', earlier]);
  const costs = await measureCommands(server, 'first', night, null, options);
  await server.drop('first');
  return costs;
}

async function logPlans(session: ReturnType<typeof openMigrationSession>): Promise<void> {
  for (const [name, value] of Object.entries(planLogging)) {
    await session.unsafe(`alter database year set ${name} = '${value}'`);
  }
}

/** @param oldest the first day of the year; null in a database that has none */
async function measureCommands(
  server: BenchServer,
  database: string,
  night: Day,
  oldest: Day | null,
  options: YearOptions,
): Promise<Record<string, StepCost>> {
  const asOf = ['--as-of', night.asOf];
  const range = (from: string, to: string) => ['rerun', '--from', from, '--to', to, ...asOf];
  const lastDay = dateAfter(night.date, -1);
  const commands: Record<string, readonly string[]> = {
    'import of a day': ['payments', 'import', night.paymentsFile],
    night: ['run', '--file', night.settlementFile, ...asOf],
    're-run of the same day': range(night.date, night.date),
    ...(oldest === null
      ? {}
      : {
          're-run of the day before': range(lastDay, lastDay),
          're-run of the oldest day': range(oldest.date, oldest.date),
          're-run of seven days': range(dateAfter(night.date, -realDays), lastDay),
        }),
    'recon items': ['items'],
    'recon discrepancies': ['discrepancies'],
  };
  const costs: Record<string, StepCost> = {};
  const log = path.join(options.directory, 'server/database.log');
  for (const [what, args] of Object.entries(commands)) {
    const since = statSync(log).size;
    costs[what] = costOf(await server.recon(database, args));
    if (options.plansDirectory === null || database !== 'year') continue;
    const target = path.join(options.plansDirectory, `year-${what.replaceAll(' ', '-')}.txt`);
    const { statements, withFaults } = savePlans(log, since, target);
    options.say(`the plans of ${statements} statements, ${withFaults} of them with a fault, in ${target}\n`);
  }
  return costs;
}

function costOf(cost: CommandCost): StepCost {
  const outcome = cost.stdout.startsWith('{') ? (JSON.parse(cost.stdout) as Partial<RunOutcome>) : {};
  return {
    elapsedMs: cost.elapsedMs,
    cpuMs: cost.cpuMs ?? 0,
    serverCpuMs: cost.serverCpuMs ?? 0,
    stages: stagesOf(cost.stderr),
    findings: outcome.discrepancies?.total ?? null,
    openItems: outcome.items?.open ?? null,
  };
}
