import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { queueFigures } from '../intake/claims/offered-files.js';
import type { Logger } from '../logger.js';
import { Metrics } from '../metrics/metrics.js';
import { processSamples } from '../metrics/process-samples.js';
import type { Sample } from '../metrics/sample.js';
import { readPackageVersion } from '../package-version.js';
import type { WorkerCounts } from '../worker/worker-counts.js';

/**
 * The metrics of a worker: what it has done, and how many files wait. The metrics about money and sources belong to the
 * processes that exist only once, because reading them costs more than a waiting worker.
 */
export function workerMetrics(sql: Sql, counts: WorkerCounts, logger: Logger): Metrics {
  const { version } = readPackageVersion();
  const queue = async (): Promise<Sample[]> => {
    try {
      const { waiting, same, other } = await queueFigures(sql, version);
      return [
        { name: 'recon_database_up', labels: {}, value: 1 },
        { name: 'recon_files_waiting', labels: {}, value: waiting },
        { name: 'recon_workers', labels: { version: 'same' }, value: same },
        { name: 'recon_workers', labels: { version: 'other' }, value: other },
      ];
    } catch (thrown) {
      logger.warn({ err: toReconError(thrown) ?? thrown }, 'The figures for the metrics could not be read.');
      return [{ name: 'recon_database_up', labels: {}, value: 0 }];
    }
  };
  return new Metrics({
    of: 'worker',
    samples: async () => [
      { name: 'recon_build_info', labels: { version }, value: 1 },
      ...(await queue()),
      ...samplesOf(counts),
      ...processSamples(),
    ],
  });
}

function samplesOf(counts: WorkerCounts): Sample[] {
  const files = (result: string, value: number): Sample => ({
    name: 'recon_worker_files_total',
    labels: { result },
    value,
  });
  return [
    files('loaded', counts.loaded),
    files('rejected', counts.rejected),
    files('fetched', counts.fetched),
    files('handed_back', counts.handedBack),
    files('lost', counts.lost),
    { name: 'recon_worker_rows_total', labels: {}, value: counts.rows },
    { name: 'recon_worker_files_in_hand', labels: {}, value: counts.inProgress },
    { name: 'recon_worker_refuses_run', labels: {}, value: counts.refusesRun ? 1 : 0 },
  ];
}
