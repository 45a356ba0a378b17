import type { ImportMeasurement } from './measure-import.js';
import type { CommandSummary, RunMeasurement } from './measure-run.js';
import type { RerunMeasurement } from './measure-rerun.js';
import type { DividedCost, ShardsMeasurement } from './measure-shards.js';
import type { DownloadsMeasurement } from './measure-downloads.js';
import type { WorkersMeasurement } from './measure-workers.js';
import type { SmallFilesMeasurement } from './measure-small-files.js';
import type { WeekMeasurement } from './measure-week.js';
import type { StepCost, YearMeasurement } from './year/measure-year.js';
import type { StageTimes } from './native-pipeline.js';

const count = (value: number) => value.toLocaleString('en');
const seconds = (ms: number | null) => (ms === null ? 'unknown' : `${(ms / 1000).toFixed(2)} s`);
const megabytes = (bytes: number | null) =>
  bytes === null ? 'unknown' : `${Math.round(bytes / 2 ** 20)} MB`;
const ratio = (value: number | null) => (value === null ? 'not measured' : value.toFixed(2));

function describeCost(summary: CommandSummary): string {
  return `${seconds(summary.elapsedMs)}, ${count(summary.perSecond)}/s, CPU ${seconds(summary.cpuMs)} ours and ${seconds(summary.serverCpuMs)} the server's, peak ${megabytes(summary.peakBytes)}`;
}

function stages(times: StageTimes): string {
  return Object.entries(times)
    .map(([name, ms]) => `    ${name.padEnd(12)}${seconds(ms).padStart(10)}\n`)
    .join('');
}

export function printImport(measured: ImportMeasurement): string {
  return `
payments import, ${count(measured.payments)} payments
  ${describeCost(measured.import)}
  COPY and indexes alone ${seconds(measured.nativeMs)}; the import takes ${ratio(measured.importToNative)} of that
`;
}

export function printRun(day: RunMeasurement): string {
  const native =
    day.native === null
      ? ''
      : `  native reference: ${seconds(day.native.elapsedMs)}, CPU ${seconds(day.native.cpuMs)}\n${stages(day.native.stages)}`;
  const duckdb =
    day.duckdb === null
      ? ''
      : `  DuckDB reference: ${seconds(day.duckdb.elapsedMs)}, CPU ${seconds(day.duckdb.cpuMs)}, peak ${megabytes(day.duckdb.peakBytes)}\n${stages(day.duckdb.stages)}`;
  const plain =
    day.plain === null
      ? ''
      : `  plain reference: ${seconds(day.plain.elapsedMs)} for ${count(day.plain.rows)} rows\n`;
  return `
recon run (${day.data}), ${count(day.rows)} rows against ${count(day.payments)} payments, ${count(day.findings)} findings
  ${describeCost(day.run)}
  stored: ${day.storedBytesPerRow.toFixed(0)} bytes per row with indexes; write-ahead log: ${day.walBytesPerRow.toFixed(0)}
${stages(day.run.stages)}${native}${duckdb}${plain}  recon run / native: ${ratio(day.runToNative)}; / DuckDB: ${ratio(day.runToDuckdb)}; plain / recon run, per row: ${ratio(day.plainToRun)}
`;
}

export function printSmallFiles(measured: SmallFilesMeasurement): string {
  return `
${measured.files} files of ${count(measured.rows / measured.files)} rows: ${seconds(measured.elapsedMs)}; the same rows in one file: ${seconds(measured.asOneFileMs)}
  ${measured.msPerFile.toFixed(1)} ms per file beyond its rows
`;
}

export function printRerun(measured: RerunMeasurement): string {
  return `
rerun of one day of ${count(measured.rowsOfDay)} rows: ${seconds(measured.aloneMs)} alone, ${seconds(measured.withinMonthMs)} within ${count(measured.storedRows)} rows of ${measured.days} days
${stages(measured.stages)}`;
}

export function printWorkers(measured: readonly WorkersMeasurement[]): string {
  const micro = (ms: number | null, rows: number) => (ms === null ? '' : ((1000 * ms) / rows).toFixed(1));
  const lines = measured.map(({ workers, rows, bytesToServer, bytesFromServer, ...times }) => {
    const { intakeMs, restMs, runCpuMs, workersCpuMs, serverCpuMs } = times;
    const cpu = [intakeMs, restMs, runCpuMs, workersCpuMs, serverCpuMs].map((ms) => micro(ms, rows));
    const bytes = [bytesToServer, bytesFromServer].map((each) => (each / rows).toFixed(0));
    return [workers, ...cpu, ...bytes].join(' | ');
  });
  return `
µs per row, ${count(measured[0]?.rows ?? 0)} rows in ${measured[0]?.files ?? 0} files, one file at once in each process
workers | intake | match, count and report | CPU of the run | of the workers | of the server | bytes to the server | from it
${lines.join('\n')}
`;
}

export function printDownloads(measured: readonly DownloadsMeasurement[]): string {
  const lines = measured.map(({ files, bytesEach, downloadsAtOnce, elapsedMs, sessions }) =>
    [files, count(bytesEach), downloadsAtOnce, (elapsedMs / 1000).toFixed(2), sessions].join(' | '),
  );
  return `
A round trip takes ${measured[0]?.roundTripMs ?? 0} ms
files | bytes each | at once | seconds | sessions
${lines.join('\n')}
`;
}

export function printShards(measured: readonly ShardsMeasurement[]): string {
  const line = (shards: number, cost: DividedCost, things: number) => {
    const micro = [cost.elapsedMs, cost.reconCpuMs, cost.homeCpuMs, cost.shardsCpuMs].map((ms) =>
      ms === null ? '' : ((1000 * ms) / things).toFixed(1),
    );
    const bytes = [cost.clientBytes.to, cost.clientBytes.from, cost.shardBytes.to, cost.shardBytes.from];
    return [shards, ...micro, ...bytes.map((each) => (each / things).toFixed(0))].join(' | ');
  };
  const heading =
    'shards | elapsed | CPU of recon | of the home server | of the shards | bytes to the home server | from it | to the shards | from them';
  return `
µs and bytes per payment, import of ${count(measured[0]?.payments ?? 0)} payments
${heading}
${measured.map(({ shards, payments, import: cost }) => line(shards, cost, payments)).join('\n')}

µs and bytes per row, run of ${count(measured[0]?.rows ?? 0)} rows
${heading}
${measured.map(({ shards, rows, run }) => `${line(shards, run, rows)}\n${stages(run.stages)}`).join('')}`;
}

export function printWeek(measured: WeekMeasurement): string {
  const reruns = measured.reruns.map(
    (rerun) => `  rerun of ${count(rerun.days)} day(s): ${seconds(rerun.elapsedMs)}\n${stages(rerun.stages)}`,
  );
  return `
one file of 90 days, ${count(measured.storedRows)} rows against ${count(measured.payments)} payments: run ${seconds(measured.runMs)}
${reruns.join('')}`;
}

function stepCost(cost: StepCost | null): string {
  if (cost === null) return '';
  const found = cost.findings === null ? '' : `, ${count(cost.findings)} findings`;
  const open = cost.openItems === null ? '' : `, ${count(cost.openItems)} items open`;
  return `${seconds(cost.elapsedMs)}, CPU ${seconds(cost.cpuMs)} ours and ${seconds(cost.serverCpuMs)} the server's${found}${open}`;
}

export function printYear(measured: YearMeasurement): string {
  const steps = measured.steps.map(
    ({ what, first, withYear, ratio: ofCpu }) =>
      `${what}: CPU ratio ${ratio(ofCpu)}
  in an empty database: ${stepCost(first)}
  on top of the year:   ${stepCost(withYear)}
${first === null ? '' : stages(first.stages)}${stages(withYear.stages)}`,
  );
  return `
${measured.days} days of ${count(measured.rowsOfDay)} rows and ${count(measured.paymentsOfDay)} payments are stored, ${megabytes(measured.databaseBytes)}, the records in ${count(measured.tables)} tables
${steps.join('')}`;
}

/** The share of the machine's cores that our process and the server used, in percent. */
function busy({ elapsedMs, cpuMs, serverCpuMs }: CommandSummary, cores: number): string {
  if (cpuMs === null || serverCpuMs === null) return 'unknown';
  return `${Math.round(((cpuMs + serverCpuMs) / (elapsedMs * cores)) * 100)} %`;
}

/** CPU time of a run divided by that of a reference. Other work on the machine hardly changes it. */
function cpuRatio(
  { cpuMs, serverCpuMs }: CommandSummary,
  reference: { cpuMs: number | null } | null,
): string {
  if (cpuMs === null || serverCpuMs === null || reference === null || reference.cpuMs === null)
    return 'unknown';
  return ratio((cpuMs + serverCpuMs) / reference.cpuMs);
}

/** What a finding costs: the difference between a flood and a night of the same size. */
function findingCost(nights: readonly RunMeasurement[]): string {
  return nights
    .filter(({ data }) => data === 'flood')
    .map((flood) => {
      const night = nights.find(({ data, rows }) => data === 'night' && rows === flood.rows);
      if (night === undefined) return '';
      const more = flood.findings - night.findings;
      const us = ((flood.run.elapsedMs - night.run.elapsedMs) * 1000) / more;
      return `\na finding costs ${us.toFixed(0)} µs: ${count(more)} more of them take ${seconds(flood.run.elapsedMs - night.run.elapsedMs)} more\n`;
    })
    .join('');
}

/** The table in the README. */
export function printTable(results: {
  readonly machine: { readonly cores: number; readonly memoryBytes: number };
  readonly helpMs: number;
  readonly nights: readonly RunMeasurement[];
}): string {
  const { cores, memoryBytes } = results.machine;
  const rows = results.nights.map(
    (day) =>
      `| ${day.data} | ${count(day.rows)} | ${count(day.payments)} | ${count(day.findings)} | ${seconds(day.run.elapsedMs)} | ${count(day.run.perSecond)} | ${megabytes(day.run.peakBytes)} | ${busy(day.run, cores)} | ${ratio(day.runToNative)} | ${cpuRatio(day.run, day.native)} | ${ratio(day.runToDuckdb)} | ${ratio(day.plainToRun)} |`,
  );
  return `
${cores} cores, ${megabytes(memoryBytes)}; recon --help in ${Math.round(results.helpMs)} ms

| data | rows | payments | findings | recon run | rows per second | peak memory | cores busy | recon ÷ native | the same in CPU time | recon ÷ DuckDB | plain ÷ recon, per row |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}
${findingCost(results.nights)}`;
}
