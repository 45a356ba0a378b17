import path from 'node:path';
import type { ReconConfig } from '../config/recon-config.js';
import { ReconError } from '../errors.js';
import { purge, type Purged } from '../retention/purge.js';
import { removalDay } from '../retention/removal-moment.js';
import { purgeAfterRun } from '../retention/purge-after-run.js';
import { requireSources } from '../run/require-sources.js';
import { rerunRange } from '../run/rerun-range.js';
import type { RunContext } from '../run/run-context.js';
import { runReconciliation } from '../run/run-reconciliation.js';
import { writeReports } from '../run/write-reports.js';
import { runId } from '../values/ids.js';
import { checkOptions } from './check-options.js';
import type { Guarded } from './guarded.js';
import * as accepted from './operation-options.js';
import type { Interruptible, PurgeOptions, Recon, ReportOptions } from './recon.js';

interface RunSurroundings {
  readonly config: ReconConfig;
  /** The folder that relative paths refer to. */
  readonly cwd: string;
  readonly contextFor: (request: Interruptible) => RunContext;
  readonly guarded: Guarded;
}

/** The operations that take the run lock or write reports. */
export function runOperations({
  config,
  cwd,
  contextFor,
  guarded,
}: RunSurroundings): Pick<Recon, 'run' | 'rerun' | 'report' | 'purge'> {
  return {
    run: (request = {}) =>
      guarded('run', async () => {
        checkOptions('run', accepted.runOptions, request);
        const { sources = null, files = [], asOf = null, dryRun = false } = request;
        if (files.length === 0) requireSources(config, sources ?? [], null);
        const context = contextFor(request);
        const outcome = await runReconciliation(context, {
          sources,
          files: files.map((file) => path.resolve(cwd, file)),
          asOf,
          dryRun,
        });
        if (!dryRun) await purgeAfterRun(context, config.retention, outcome);
        return outcome;
      }),
    rerun: (request) =>
      guarded('rerun', async () => {
        checkOptions('rerun', accepted.rerunOptions, request);
        const { fetch = false, asOf = null, dryRun = false } = request;
        return rerunRange(contextFor(request), { ...rangeOf(request), fetch, asOf, dryRun });
      }),
    report: (request = {}) =>
      guarded('report', async () => {
        const scope = scopeOf(request);
        return writeReports(contextFor(request), scope);
      }),
    purge: (request = {}) =>
      guarded('purge', async () => {
        checkOptions('purge', accepted.purgeOptions, request);
        return purgeNow(contextFor(request), config, request);
      }),
  };
}

async function purgeNow(
  context: RunContext,
  { retention: policy }: ReconConfig,
  { asOf, dryRun = false }: PurgeOptions,
): Promise<Purged> {
  const today = await removalDay(context);
  const day = asOf ?? today;
  if (day > today && !dryRun) {
    throw new ReconError('USAGE_INVALID', `asOf ${day} is later than today, ${today}: that needs dryRun.`);
  }
  return purge(context, { policy, asOf: day, dryRun });
}

interface AnyReportOptions {
  readonly runId?: number;
  readonly from?: string;
  readonly to?: string;
  readonly asOf?: string;
}

/** What the reports are about: one run, the latest when none is named, or a range. */
function scopeOf(request: ReportOptions) {
  const { runId: run, from, to, asOf }: AnyReportOptions = { ...request };
  if (from === undefined && to === undefined) {
    checkOptions('report', accepted.reportOptions, request);
    return { runId: run === undefined ? null : runId(run) };
  }
  checkOptions('report', accepted.reportOfRangeOptions, request);
  if (run !== undefined) {
    throw new ReconError('USAGE_INVALID', 'report: runId and from exclude each other. Nothing was done.');
  }
  return { ...rangeOf({ from: from ?? '', to: to ?? '' }), asOf: asOf ?? null };
}

function rangeOf({ from, to }: { readonly from: string; readonly to: string }) {
  if (from > to) throw new ReconError('USAGE_INVALID', 'from must not be later than to.');
  return { from, to };
}
