import type { ImportMeasurement } from './measure-import.js';
import type { CommandSummary, NightMeasurement } from './measure-night.js';
import type { RerunMeasurement } from './measure-rerun.js';
import type { SmallFilesMeasurement } from './measure-small-files.js';
import type { WeekMeasurement } from './measure-week.js';
import type { StageTimes } from './native-pipeline.js';

const count = (value: number) => value.toLocaleString('en');
const seconds = (ms: number | null) => (ms === null ? 'unknown' : `${(ms / 1000).toFixed(2)} s`);
const megabytes = (bytes: number | null) =>
  bytes === null ? 'unknown' : `${Math.round(bytes / 2 ** 20)} MB`;
const ratio = (value: number | null) => (value === null ? 'not measured' : value.toFixed(2));

function told(summary: CommandSummary): string {
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
  ${told(measured.import)}
  COPY and indexes alone ${seconds(measured.nativeMs)}; the import takes ${ratio(measured.importToNative)} of that
`;
}

export function printNight(night: NightMeasurement): string {
  const native =
    night.native === null
      ? ''
      : `  native reference: ${seconds(night.native.elapsedMs)}\n${stages(night.native.stages)}`;
  const plain =
    night.plain === null
      ? ''
      : `  plain reference: ${seconds(night.plain.elapsedMs)} for ${count(night.plain.rows)} rows\n`;
  return `
recon run, ${count(night.rows)} rows against ${count(night.payments)} payments
  ${told(night.run)}
${stages(night.run.stages)}${native}${plain}  recon run / native: ${ratio(night.runToNative)}; plain / recon run, per row: ${ratio(night.plainToRun)}
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

export function printWeek(measured: WeekMeasurement): string {
  const reruns = measured.reruns.map(
    (rerun) => `  rerun of ${count(rerun.days)} day(s): ${seconds(rerun.elapsedMs)}\n${stages(rerun.stages)}`,
  );
  return `
one file of 90 days, ${count(measured.storedRows)} rows against ${count(measured.payments)} payments: run ${seconds(measured.runMs)}
${reruns.join('')}`;
}

/** The table that stands in the README. */
export function printTable(results: {
  readonly machine: { readonly cores: number; readonly memoryBytes: number };
  readonly helpMs: number;
  readonly nights: readonly NightMeasurement[];
}): string {
  const rows = results.nights.map(
    (night) =>
      `| ${count(night.rows)} | ${count(night.payments)} | ${seconds(night.run.elapsedMs)} | ${count(night.run.perSecond)} | ${megabytes(night.run.peakBytes)} | ${ratio(night.runToNative)} | ${ratio(night.plainToRun)} |`,
  );
  return `
${results.machine.cores} cores, ${megabytes(results.machine.memoryBytes)}; recon --help in ${Math.round(results.helpMs)} ms

| rows | payments | recon run | rows per second | peak memory | times native | plain, times ours |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}
`;
}
