import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBenchServer, type BenchServer } from './bench-server.js';
import { generateDay, kindLines, type Dataset } from './generate.js';
import { measureImport, type ImportMeasurement } from './measure-import.js';
import { measureHttp, type HttpMeasurement } from './http/measure-http.js';
import { printHttp } from './http/print-http.js';
import { measureRun, type RunMeasurement } from './measure-run.js';
import { measureRerun, type RerunMeasurement } from './measure-rerun.js';
import { measureSmallFiles, type SmallFilesMeasurement } from './measure-small-files.js';
import { measureStart } from './measure-start.js';
import { measureShards, type ShardsMeasurement } from './measure-shards.js';
import { measureDownloads, type DownloadsMeasurement } from './measure-downloads.js';
import { measureWorkers, type WorkersMeasurement } from './measure-workers.js';
import { countShards } from './instructions/count-shards.js';
import { countWorkers } from './instructions/count-workers.js';
import { countPerRow, usualRows, type InstructionsMeasurement } from './instructions/per-row.js';
import { printInstructions } from './instructions/print-instructions.js';
import { measureWeek, type WeekMeasurement } from './measure-week.js';
import {
  printImport,
  printRun,
  printRerun,
  printShards,
  printSmallFiles,
  printTable,
  printWeek,
  printDownloads,
  printWorkers,
  printYear,
} from './print-results.js';
import { planLogging, savePlans } from './save-plans.js';
import { generateUnkind } from './unkind/generate.js';
import type { Weather } from './unkind/payments.js';
import { measureYear, type YearMeasurement } from './year/measure-year.js';
import { unkindRows } from './unkind/rows.js';

const usage = `npm run bench -- [--rows N] [--payments M] [--plain-rows P] [--flood] [--short-ids] [--explain] [--json]
npm run bench -- --series [--json]
npm run bench -- --week [--rows N] [--payments M] [--json]
npm run bench -- --year [--rows N] [--days D] [--large-file-bytes B] [--explain] [--json]
npm run bench -- --workers 0,1,2,4 [--rows N] [--instructions] [--json]
npm run bench -- --downloads 1,4 [--json]
npm run bench -- --shards 0,1,2,4 [--rows N] [--payments M] [--instructions] [--json]
npm run bench -- --http [--connections 1,20,200] [--rounds R] [--seconds S] [--json]

Measures the real command on an embedded server, and in the same run on the same files three references: the native
pipeline (PostgreSQL's own tools, without validation), DuckDB (in memory, without validation, keeps nothing) and the plain
pipeline (one library per step, with the first P rows; 0 leaves it out). All answers are compared row by row before a
number is printed.

The data are unkind: payments in scattered order, real exchange rates, all references filled, and everything that goes
wrong on a normal day. --flood also measures a day that has findings for 61 of 100 rows, and --short-ids one without
UniqueIDs. --seed N makes other data of the same kind; --data kind takes rows in the order of their payments with a rate
of 1.00, which older measurements used. --explain saves the plan of every statement and prints no numbers, because
writing plans takes time. --series measures how the cost grows: with rows, with payments, with files, and with the size
of the month when one day is run again. --week loads one file of 90 days in random order, and measures a re-run of one
day and of seven days. --year fills a database with a year of N rows and 2 N payments a day (5,000 and 10,000 by
default), and measures a day's work in it and in an empty one; the files are given their own tables as with the setting
largeFileBytes of B (33554432 by default). --workers loads the same files with so many recon worker
processes beside the run. --downloads fetches 100 small and 4 large files over SFTP and a link with delay, so many at
once. --shards imports the payments and runs the file with so many shards (0: one server). With --instructions, these
two count instructions per row instead, with perf or valgrind; of 8,000 rows unless --rows says otherwise, because
valgrind takes 40 times as long. --http measures recon serve with this many connections, alternating with its reference:
fastify with one statement per request.
`;

const options = readOptions();

function readOptions() {
  try {
    return parseArgs({
      options: {
        rows: { type: 'string' },
        payments: { type: 'string', default: '2000000' },
        data: { type: 'string', default: 'unkind' },
        seed: { type: 'string', default: '17' },
        flood: { type: 'boolean', default: false },
        'short-ids': { type: 'boolean', default: false },
        'plain-rows': { type: 'string', default: '50000' },
        series: { type: 'boolean', default: false },
        week: { type: 'boolean', default: false },
        year: { type: 'boolean', default: false },
        days: { type: 'string', default: '365' },
        'large-file-bytes': { type: 'string', default: '33554432' },
        workers: { type: 'string' },
        downloads: { type: 'string' },
        shards: { type: 'string' },
        instructions: { type: 'boolean', default: false },
        http: { type: 'boolean', default: false },
        connections: { type: 'string', default: '1,20,200' },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '2' },
        explain: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        cache: { type: 'string', default: '.cache/bench' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (thrown) {
    process.stderr.write(`${(thrown as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** The rows of a day. */
function rowsOf(): number {
  return Number(options.rows ?? (options.instructions ? usualRows : options.year ? 5_000 : 1_000_000));
}

interface Results {
  readonly machine: { readonly cores: number; readonly memoryBytes: number };
  /** Time of `recon --help` from start to end, the best of five. */
  readonly helpMs: number;
  readonly imports: ImportMeasurement[];
  readonly nights: RunMeasurement[];
  smallFiles?: SmallFilesMeasurement;
  rerun?: RerunMeasurement;
  week?: WeekMeasurement;
  year?: YearMeasurement;
  http?: HttpMeasurement[];
  workers?: WorkersMeasurement[];
  downloads?: DownloadsMeasurement[];
  shards?: ShardsMeasurement[];
  instructions?: InstructionsMeasurement[];
}

/** `kind` is the older, friendly mix; the others are the unkind one. */
type Data = Weather | 'kind';
const usual: Data = options.data === 'kind' ? 'kind' : 'night';

function generate(data: Data, rows: number, payments: number): Promise<Dataset> {
  return data === 'kind'
    ? generateDay(options.cache, rows, payments)
    : generateUnkind(options.cache, { rows, payments }, { seed: Number(options.seed), weather: data });
}

function linesOf(rows: number, payments: number): (i: number) => string {
  if (usual === 'kind') return kindLines(rows, payments);
  const row = unkindRows(payments, { seed: Number(options.seed), weather: 'night' });
  return (i) => row(i).text;
}

async function importPayments(server: BenchServer, day: Dataset, results: Results): Promise<string> {
  const database = `payments_${results.imports.length}`;
  await server.create(database);
  const measured = await measureImport(server, database, day.paymentsFile, day.payments);
  results.imports.push(measured);
  say(printImport(measured));
  return database;
}

async function measureDay(server: BenchServer, template: string, data: Data, day: Dataset, results: Results) {
  const measured = await measureRun(server, template, day, {
    data,
    directory,
    references: true,
    plainRows: Number(options['plain-rows']),
  });
  results.nights.push(measured);
  say(printRun(measured));
}

async function measureOne(server: BenchServer, results: Results): Promise<void> {
  const others: Data[] = [
    ...(options['short-ids'] ? ['short-ids' as const] : []),
    ...(options.flood ? ['flood' as const] : []),
  ];
  for (const data of [usual, ...others]) {
    const day = await generate(data, rowsOf(), Number(options.payments));
    const template = await importPayments(server, day, results);
    await measureDay(server, template, data, day, results);
    await server.drop(template);
  }
}

async function week(server: BenchServer, results: Results): Promise<void> {
  const rows = rowsOf();
  results.week = await measureWeek(server, rows, Number(options.payments), {
    cache: options.cache,
    directory,
  });
  say(printWeek(results.week));
}

async function year(server: BenchServer, results: Results): Promise<void> {
  const rows = rowsOf();
  results.year = await measureYear(server, {
    days: Number(options.days),
    size: { rows, payments: 2 * rows },
    seed: Number(options.seed),
    largeFileBytes: Number(options['large-file-bytes']),
    directory,
    plansDirectory: options.explain ? options.cache : null,
    say,
  });
  say(printYear(results.year));
}

async function measureSeries(server: BenchServer, results: Results): Promise<void> {
  for (const [payments, ...rowCounts] of [
    [1_250_000, 1_000_000],
    [2_000_000, 1_000_000],
    [8_000_000, 100_000, 1_000_000, 4_000_000],
  ] as const) {
    const template = await importPayments(server, await generate(usual, rowCounts[0], payments), results);
    for (const rows of rowCounts) {
      await measureDay(server, template, usual, await generate(usual, rows, payments), results);
    }
    if (payments === 2_000_000) {
      results.smallFiles = await measureSmallFiles(
        server,
        template,
        (rows) => linesOf(rows, payments),
        directory,
      );
      say(printSmallFiles(results.smallFiles));
    }
    if (payments === 8_000_000) {
      const month = { rows: 4_000_000, lineOf: linesOf(4_000_000, payments) };
      results.rerun = await measureRerun(server, template, month, directory);
      say(printRerun(results.rerun));
    }
    await server.drop(template);
  }
}

async function http(server: BenchServer, results: Results): Promise<void> {
  results.http = await measureHttp(server, directory, {
    connections: options.connections.split(',').map(Number),
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
  });
  for (const measured of results.http) say(printHttp(measured));
}

async function workers(server: BenchServer, results: Results): Promise<void> {
  const rows = rowsOf();
  const night = (size: number) => ({ rows: size, lineOf: linesOf(size, Number(options.payments)) });
  const counts = (options.workers ?? '').split(',').map(Number);
  if (options.instructions) {
    results.instructions = await countPerRow(
      { of: 'workers', counts, rows, directory },
      (counter, count, size) => countWorkers(counter, count, night(size), directory),
    );
    say(printInstructions(results.instructions));
    return;
  }
  results.workers = await measureWorkers(server, counts, night(rows), directory);
  say(printWorkers(results.workers));
}

async function downloads(_server: BenchServer, results: Results): Promise<void> {
  const counts = (options.downloads ?? '').split(',').map(Number);
  results.downloads = await measureDownloads(counts, directory);
  say(printDownloads(results.downloads));
}

async function shards(server: BenchServer, results: Results): Promise<void> {
  const rows = rowsOf();
  const payments = Number(options.payments);
  const counts = (options.shards ?? '').split(',').map(Number);
  if (options.instructions) {
    results.instructions = await countPerRow(
      { of: 'shards', counts, rows, directory },
      async (counter, count, size) =>
        countShards(counter, count, await generate(usual, size, payments), directory),
    );
    say(printInstructions(results.instructions));
    return;
  }
  const day = await generate(usual, rows, payments);
  results.shards = await measureShards(server, counts, day, directory);
  say(printShards(results.shards));
}

async function explain(server: BenchServer): Promise<void> {
  const data = options.flood ? 'flood' : options['short-ids'] ? 'short-ids' : usual;
  const day = await generate(data, rowsOf(), Number(options.payments));
  const template = 'payments';
  await server.create(template);
  await server.recon(template, ['payments', 'import', day.paymentsFile]);
  const log = path.join(directory, 'server/database.log');
  const since = statSync(log).size;
  await server.recon(template, ['run', '--file', day.settlementFile, '--as-of', '2026-11-20']);
  const target = path.join(options.cache, `plans-${data}-${rowsOf()}-${options.payments}.txt`);
  const { statements, withFaults } = savePlans(log, since, target);
  say(`the plans of ${statements} statements, ${withFaults} of them with a fault, in ${target}\n`);
}

function measurementOf({
  week: ofWeek,
  year: ofYear,
  http: ofHttp,
  workers: ofWorkers,
  downloads: ofDownloads,
  shards: ofShards,
  series,
}: typeof options) {
  if (ofShards !== undefined) return shards;
  if (ofDownloads !== undefined) return downloads;
  return ofWorkers !== undefined
    ? workers
    : ofHttp
      ? http
      : ofWeek
        ? week
        : ofYear
          ? year
          : series
            ? measureSeries
            : measureOne;
}

/** The other measurements print their own. */
const hasTable =
  !options.week &&
  !options.year &&
  !options.http &&
  options.workers === undefined &&
  options.downloads === undefined &&
  options.shards === undefined;

function say(text: string): void {
  if (!options.json) process.stdout.write(text);
}

if (options.help) {
  process.stdout.write(usage);
  process.exit();
}

const directory = mkdtempSync(path.join(tmpdir(), 'recon-bench-'));

async function main(): Promise<void> {
  mkdirSync(options.cache, { recursive: true });
  const configuration = path.join(directory, 'recon.config.yaml');
  writeFileSync(configuration, `largeFileBytes: ${options['large-file-bytes']}\n`);
  const logged = options.explain && !options.year ? planLogging : {};
  const server = await startBenchServer(
    directory,
    logged,
    options.year ? { RECON_CONFIG: configuration } : {},
  );
  try {
    if (options.explain && !options.year) {
      await explain(server);
      return;
    }
    const results: Results = {
      machine: { cores: cpus().length, memoryBytes: totalmem() },
      helpMs: await measureStart(),
      imports: [],
      nights: [],
    };
    await measurementOf(options)(server, results);
    if (options.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    else if (hasTable) process.stdout.write(printTable(results));
  } finally {
    await server.close();
  }
}

try {
  await main();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
