import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase, openMigrationSession } from '../src/db/connect.js';
import { createLogger } from '../src/logger.js';
import type { RunOutcome } from '../src/outcome.js';
import { compareOutcomes } from './compare-outcomes.js';
import { explainRecordPath } from './explain-record-path.js';
import { generateDataset, type Dataset } from './generate.js';
import { measureProcess, type ProcessCost } from './measure-process.js';
import { runNativePipeline, type StageTimes } from './native-pipeline.js';
import { runPlainPipeline } from './plain-pipeline.js';

/**
 * `npm run bench -- [--rows N] [--payments M] [--plain-rows P] [--explain] [--json]`: the real command on the
 * embedded server, and on the same server in the same run the native reference and (over fewer rows, it is
 * slow) the plain one. Answers are compared before a number is printed.
 */
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    payments: { type: 'string', default: '2000000' },
    'plain-rows': { type: 'string', default: '50000' },
    'skip-plain': { type: 'boolean', default: false },
    explain: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cache: { type: 'string', default: '.cache/bench' },
  },
});

interface Measurement {
  readonly rows: number;
  readonly payments: number;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly import: ProcessSummary;
  readonly run: ProcessSummary & { readonly stages: StageTimes };
  readonly native: { readonly elapsedMs: number; readonly stages: StageTimes };
  readonly plain: { readonly rows: number; readonly elapsedMs: number } | null;
  readonly ratios: { readonly runToNative: number; readonly plainToRunPerRow: number | null };
}

interface ProcessSummary {
  readonly elapsedMs: number;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
  readonly rowsPerSecond: number;
}

const summary = (cost: ProcessCost, rows: number): ProcessSummary => ({
  elapsedMs: cost.elapsedMs,
  cpuMs: cost.cpuMs,
  peakBytes: cost.peakBytes,
  rowsPerSecond: Math.round((rows / cost.elapsedMs) * 1000),
});

async function recon(environment: Record<string, string>, args: readonly string[]): Promise<ProcessCost> {
  const main = path.resolve('dist/cli/main.js');
  const cost = await measureProcess(
    process.execPath,
    [main, ...args, '--json', '--log-level', 'info'],
    environment,
  );
  if (cost.exitCode > 1)
    throw new Error(`recon ${args.join(' ')} ended with ${cost.exitCode}: ${cost.stderr.slice(-2000)}`);
  return cost;
}

/** `{"stage":"load","elapsedMs":12}` lines of the log, added up. */
function stagesOf(log: string): StageTimes {
  const stages: Record<string, number> = {};
  for (const line of log.split('\n')) {
    if (!line.includes('"stage"')) continue;
    const entry = JSON.parse(line) as { stage?: string; elapsedMs?: number };
    if (entry.stage !== undefined) stages[entry.stage] = (stages[entry.stage] ?? 0) + (entry.elapsedMs ?? 0);
  }
  return stages;
}

async function measure(dataset: Dataset, directory: string): Promise<Measurement> {
  const dataDirectory = path.join(directory, 'data');
  const environment = { RECON_DATA_DIR: dataDirectory, RECON_DATABASE_URL: '' };
  // Holds the embedded server up, so that all measured commands and references meet the same warm server.
  const database = await openDatabase({ dataDirectory }, { logger: createLogger({ level: 'error' }) });
  try {
    const imported = await recon(environment, ['payments', 'import', dataset.paymentsFile]);
    await database.sql`analyze payments`;
    await database.sql`checkpoint`;
    const run = await recon(environment, ['run', '--file', dataset.settlementFile, '--as-of', '2026-11-20']);
    const outcome = JSON.parse(run.stdout) as RunOutcome;
    if (options.explain)
      await explainRecordPath(database.sql, outcome.runId, path.join(options.cache, 'explain'));
    await database.sql`checkpoint`;
    const nativeStarted = performance.now();
    const nativeStages = await runNativePipeline(database.url, dataset, directory);
    const nativeMs = performance.now() - nativeStarted;
    await compareOutcomes(outcome, path.join(directory, 'native-reconciled.csv'));
    const plain = options['skip-plain'] ? null : await measurePlain(database.url, dataset, directory);
    const runMs = run.elapsedMs;
    return {
      rows: dataset.rows,
      payments: dataset.payments,
      cores: cpus().length,
      memoryBytes: totalmem(),
      import: summary(imported, dataset.payments),
      run: { ...summary(run, dataset.rows), stages: stagesOf(run.stderr) },
      native: { elapsedMs: nativeMs, stages: nativeStages },
      plain,
      ratios: {
        runToNative: runMs / nativeMs,
        plainToRunPerRow: plain === null ? null : plain.elapsedMs / plain.rows / (runMs / dataset.rows),
      },
    };
  } finally {
    await database.close();
  }
}

async function measurePlain(url: string, dataset: Dataset, directory: string) {
  const rows = Math.min(Number(options['plain-rows']), dataset.rows);
  const sample = await generateDataset(options.cache, rows, dataset.payments);
  const client = openMigrationSession(url);
  await client`drop table if exists plain_records`;
  await client.end();
  return {
    rows,
    elapsedMs: await runPlainPipeline(url, sample.settlementFile, path.join(directory, 'plain.csv')),
  };
}

function print(result: Measurement): void {
  const seconds = (ms: number) => (ms / 1000).toFixed(2).padStart(8);
  const stages = (times: StageTimes) =>
    Object.entries(times)
      .map(([name, ms]) => `    ${name.padEnd(28)}${seconds(ms)} s`)
      .join('\n');
  const memory =
    result.run.peakBytes === null ? 'unknown' : `${Math.round(result.run.peakBytes / 2 ** 20)} MB`;
  process.stdout.write(`
${result.rows.toLocaleString('en')} rows against ${result.payments.toLocaleString('en')} payments, ${result.cores} cores
  payments import             ${seconds(result.import.elapsedMs)} s  ${result.import.rowsPerSecond.toLocaleString('en')} payments/s
  recon run                   ${seconds(result.run.elapsedMs)} s  ${result.run.rowsPerSecond.toLocaleString('en')} rows/s, CPU ${seconds(result.run.cpuMs ?? 0).trim()} s, peak ${memory}
${stages(result.run.stages)}
  native reference            ${seconds(result.native.elapsedMs)} s
${stages(result.native.stages)}
  plain reference             ${result.plain === null ? 'skipped' : `${seconds(result.plain.elapsedMs)} s for ${result.plain.rows.toLocaleString('en')} rows`}
  recon run / native          ${result.ratios.runToNative.toFixed(2)}
  plain / recon run, per row  ${result.ratios.plainToRunPerRow?.toFixed(1) ?? 'skipped'}
`);
}

mkdirSync(options.cache, { recursive: true });
const directory = mkdtempSync(path.join(tmpdir(), 'recon-bench-'));
try {
  const dataset = await generateDataset(options.cache, Number(options.rows), Number(options.payments));
  const result = await measure(dataset, directory);
  if (options.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else print(result);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
