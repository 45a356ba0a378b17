import { readPackageVersion } from '../package-version.js';
import type { Figures } from './figures.js';
import type { MetricName } from './metric-catalogue.js';
import type { Sample } from './sample.js';
import type { RunFigures, StateFigures, WorkFigures } from './read-figures.js';

const sample = (name: MetricName, value: number, labels: Sample['labels'] = {}): Sample => ({
  name,
  labels,
  value,
});

/** The gauges that follow from the figures. What was never read has no sample. Pure. */
export function samplesOf({ isDatabaseUp, state, work, counted }: Figures): Sample[] {
  return [
    sample('recon_build_info', 1, { version: readPackageVersion().version }),
    sample('recon_database_up', isDatabaseUp ? 1 : 0),
    ...(state === null
      ? []
      : [sample('recon_figures_timestamp_seconds', state.readAtMs / 1000), ...stateSamples(state)]),
    ...(work === null
      ? []
      : [sample('recon_items_timestamp_seconds', work.readAtMs / 1000), ...workSamples(work)]),
    ...(counted ?? []),
  ];
}

function stateSamples({ isRunActive, lastRun, lastCompletedAt, lastFileAt }: StateFigures): Sample[] {
  return [
    sample('recon_run_active', isRunActive ? 1 : 0),
    ...(lastRun === null ? [] : runSamples(lastRun)),
    ...(lastCompletedAt === null
      ? []
      : [sample('recon_last_completed_run_end_timestamp_seconds', lastCompletedAt)]),
    ...[...lastFileAt].map(([source, at]) =>
      sample('recon_source_last_file_timestamp_seconds', at ?? 0, { source }),
    ),
  ];
}

function runSamples({ startedAt, endedAt, exitCode, stages, files, rows }: RunFigures): Sample[] {
  return [
    sample('recon_last_run_start_timestamp_seconds', startedAt),
    sample('recon_last_run_end_timestamp_seconds', endedAt),
    ...(exitCode === null ? [] : [sample('recon_last_run_exit_code', exitCode)]),
    ...Object.entries(stages).map(([stage, ms]) =>
      sample('recon_last_run_stage_seconds', ms / 1000, { stage }),
    ),
    sample('recon_last_run_rows', rows.accepted, { result: 'accepted' }),
    sample('recon_last_run_rows', rows.rejected, { result: 'rejected' }),
    sample('recon_last_run_rows', rows.alreadyKnown, { result: 'already_known' }),
    ...Object.entries(files).map(([status, count]) => sample('recon_last_run_files', count, { status })),
  ];
}

/** A metric is a float in Prometheus. Nothing computes with it: amounts are exact in the reports. */
const units = (amountMinor: bigint) => Number(amountMinor) / 100;

function workSamples({ items, expected }: WorkFigures): Sample[] {
  const deliveries = new Map<string, Sample>();
  for (const { source, status } of expected) {
    const key = `${source} ${status}`;
    const count = (deliveries.get(key)?.value ?? 0) + 1;
    deliveries.set(key, sample('recon_expected_deliveries', count, { source, status }));
  }
  return [
    ...deliveries.values(),
    ...items.flatMap(({ code, currency, open, waiting, missing, surplus }) => {
      const labels = { code, currency: currency ?? '' };
      const counts = [
        sample('recon_items', open, { ...labels, status: 'open' }),
        sample('recon_items', waiting, { ...labels, status: 'waiting' }),
      ];
      if (missing === 0n && surplus === 0n) return counts;
      return [
        ...counts,
        sample('recon_items_at_risk', units(missing), { ...labels, direction: 'to_receive' }),
        sample('recon_items_at_risk', units(surplus), { ...labels, direction: 'to_return' }),
      ];
    }),
  ];
}
